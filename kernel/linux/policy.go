package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Scheduling policies: all threads are ordinary ones, and an unprivileged
// program may not make them anything else. And sched_yield.

func doGetscheduler(c *call, o *kernel.Outcome) uint64 { return c.policyOf() }

func doGetparam(c *call, o *kernel.Outcome) uint64 {
	if errno := c.policyOf(); errno != 0 {
		return errno
	}
	return c.k.user.copyOut(c.a[1], make([]byte, 4))
}

// policyOf is 0, or what a call says about the thread in its first argument that isn't there.
func (c *call) policyOf() uint64 {
	switch {
	case c.int32(0) < 0:
		return einval
	case c.whose(c.a[0]&0xffffffff) == nil:
		return esrch
	}
	return 0
}

func doSetscheduler(c *call, o *kernel.Outcome) uint64 {
	return c.setPolicy(c.a[1], c.a[2])
}

func doSetparam(c *call, o *kernel.Outcome) uint64 { return c.setPolicy(0, c.a[1]) }

func (c *call) setPolicy(policy, at uint64) uint64 {
	if !c.k.user.canRead(at, 4) {
		return efault
	}
	if errno := c.policyOf(); errno != 0 {
		return errno
	}
	priority := c.k.log.Read32(at)
	switch most := realtimePriority(policy&^resetOnFork, mostPriority); {
	case most == einval, most == 0 && priority != 0, most != 0 && (priority == 0 || priority > mostPriority):
		return einval
	case most != 0:
		return eperm
	}
	return 0
}

const (
	schedBatch, schedIdle = 3, 5
	resetOnFork           = 1 << 30
	mostPriority          = 99
)

// planSetscheduler: batch and idle threads need no privilege, and landgo has none.
func planSetscheduler(c *call, p *kernel.Plan) {
	if policy := c.a[1] &^ resetOnFork; policy == schedBatch || policy == schedIdle {
		invalid(p, "sched_setscheduler to SCHED_BATCH or SCHED_IDLE is not modelled")
	}
}

func doPriorityMax(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], mostPriority) }
func doPriorityMin(c *call, o *kernel.Outcome) uint64 { return realtimePriority(c.a[0], 1) }

func realtimePriority(policy, p uint64) uint64 {
	switch policy {
	case 1, 2: // FIFO, RR
		return p
	case 0, schedBatch, schedIdle:
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
