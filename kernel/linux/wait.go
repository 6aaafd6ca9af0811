package linux

import "landgo/kernel"

// Waits for child processes: there are none, for a new process ends the run as invalid.

const (
	wnohang    = 1
	wuntraced  = 2 // for waitid, WSTOPPED
	wexited    = 4
	wcontinued = 8
	wnowait    = 1 << 24
	wOwn       = 7 << 29 // __WNOTHREAD, __WALL, __WCLONE

	pPid   = 1
	pPgid  = 2
	pPidfd = 3
)

func planWaitid(c *call, p *kernel.Plan) {
	if c.a[0]&0xffffffff == pPidfd {
		invalid(p, "waitid of a process's descriptor is not modelled")
	}
}

func doWait(c *call, o *kernel.Outcome) uint64 {
	if c.nr != sysWaitid {
		switch options := c.a[2] & 0xffffffff; {
		case options&^(wnohang|wuntraced|wcontinued|wOwn) != 0:
			return einval
		case c.int32(0) == -1<<31:
			return esrch
		}
		return echild
	}
	kind, options := c.a[0]&0xffffffff, c.a[3]&0xffffffff
	switch {
	case options&^(wnohang|wnowait|wexited|wuntraced|wcontinued|wOwn) != 0, options&(wexited|wuntraced|wcontinued) == 0,
		kind > pPidfd, kind == pPid && c.int32(1) <= 0, kind == pPgid && c.int32(1) < 0:
		return einval
	}
	return echild
}
