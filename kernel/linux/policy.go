package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Scheduling policies: all threads are ordinary ones, and an unprivileged
// program may not make them anything else. And sched_yield.

func doGetscheduler(c *call, o *kernel.Outcome) uint64 { return 0 }

func doGetparam(c *call, o *kernel.Outcome) uint64 {
	return c.k.user.copyOut(c.a[1], make([]byte, 4))
}

func doSetscheduler(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] != 0 {
		return eperm
	}
	return c.setParam(c.a[2])
}

func doSetparam(c *call, o *kernel.Outcome) uint64 { return c.setParam(c.a[1]) }

func (c *call) setParam(at uint64) uint64 {
	if !c.k.user.canRead(at, 4) {
		return efault
	}
	if c.k.log.Read32(at) != 0 {
		return einval
	}
	return 0
}

func doPriorityMax(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], 99) }
func doPriorityMin(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], 1) }

func realtimePriority(policy, p uint64) uint64 {
	switch policy {
	case 1, 2: // FIFO, RR
		return p
	case 0, 3, 5: // OTHER, BATCH, IDLE
		return 0
	}
	return einval
}

func planYield(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpYield})
	p.Yield = true
}

func doYield(c *call, o *kernel.Outcome) uint64 {
	c.op(trace.Op{Kind: trace.OpYield})
	o.Idle = true
	return 0
}
