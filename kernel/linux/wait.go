package linux

import "landgo/kernel"

// Waits for child processes: there are none, for a new process ends the run as invalid.

const (
	waitNoHang    = 1
	waitUntraced  = 2 // waitid: WSTOPPED
	waitExited    = 4
	waitContinued = 8
	waitNoWait    = 1 << 24
	waitOwn       = 7 << 29 // __WNOTHREAD, __WALL, __WCLONE

	idAll, idPid, idGroup, idPidfd = 0, 1, 2, 3
)

func planWaitid(c *call, p *kernel.Plan) {
	if c.a[0]&0xffffffff == idPidfd {
		invalid(p, "waitid of a process's descriptor is not modelled")
	}
}

func doWait(c *call, o *kernel.Outcome) uint64 {
	if c.nr != sysWaitid {
		switch options := c.a[2] & 0xffffffff; {
		case options&^(waitNoHang|waitUntraced|waitContinued|waitOwn) != 0:
			return einval
		case c.int32(0) == -1<<31:
			return esrch
		}
		return echild
	}
	kind, options := c.a[0]&0xffffffff, c.a[3]&0xffffffff
	switch {
	case options&^(waitNoHang|waitNoWait|waitExited|waitUntraced|waitContinued|waitOwn) != 0, options&(waitExited|waitUntraced|waitContinued) == 0,
		kind > idPidfd, kind == idPid && c.int32(1) <= 0, kind == idGroup && c.int32(1) < 0:
		return einval
	}
	return echild
}
