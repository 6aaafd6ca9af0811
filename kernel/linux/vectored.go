package linux

import "landgo/kernel"

// Reads and writes of several buffers at an offset that the call names: preadv, pwritev, and
// preadv2 and pwritev2, in which offset -1 is the file's own. On x86-64 the fourth argument has
// all of the offset.
const (
	sysPreadv   = 295
	sysPwritev  = 296
	sysPreadv2  = 327
	sysPwritev2 = 328
	rwfHipri    = 1
	rwfDsync    = 2
	rwfSync     = 4
)

// placed reports whether the call names its offset. That of a file doesn't move then.
func (c *call) placed() bool {
	switch c.nr {
	case sysPread64, sysPwrite64, sysPreadv, sysPwritev:
		return true
	case sysPreadv2, sysPwritev2:
		return c.a[3] != ^uint64(0)
	}
	return false
}

// unknownWay reports whether flags of preadv2 or pwritev2 change what the call does here. A file in
// memory is as good as on its disk.
func (c *call) unknownWay(p *kernel.Plan) bool {
	if (c.nr == sysPreadv2 || c.nr == sysPwritev2) && c.a[5]&^(rwfHipri|rwfDsync|rwfSync) != 0 {
		invalid(p, "preadv2 or pwritev2 with RWF_NOWAIT, RWF_APPEND or an unknown flag is not modelled")
		return true
	}
	return false
}

func planPreadv(c *call, p *kernel.Plan)  { c.planVectors(p, planRead) }
func planPwritev(c *call, p *kernel.Plan) { c.planVectors(p, planWrite) }

// planVectors plans such a call. Where it names no offset it is as good as readv or writev.
func (c *call) planVectors(p *kernel.Plan, unplaced func(*call, *kernel.Plan)) {
	switch {
	case c.unknownWay(p):
	case c.placed():
		planFiles(c, p)
	default:
		unplaced(c, p)
	}
}

func doPreadv(c *call, o *kernel.Outcome) uint64 {
	if c.placed() && int64(c.a[3]) < 0 {
		return einval
	}
	return doReadv(c, o)
}

func doPwritev(c *call, o *kernel.Outcome) uint64 {
	if !c.placed() {
		return doWritev(c, o)
	}
	if int64(c.a[3]) < 0 {
		return einval
	}
	vec, _, errno := c.iovec()
	if errno != 0 {
		return errno
	}
	return c.writeAt(o, vec)
}
