package pebbles

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// The search alone decides which thread runs next. The rest of scheduling are
// the states of threads. deschedule takes the caller out of the run queue
// unless the reject word is set, in one step with reading it. make_runnable
// puts a descheduled thread back. A make_runnable that finds its thread running
// fails, and nothing is remembered of it.

// planYield: yield(tid) asks for a thread, yield(-1) for any. Both only say
// that the caller can do without the processor: any thread may run next. The
// real kernel guarantees no more, because a timer interrupt may come at once.
// Only the result tells whether the asked one could run.
func planYield(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpYield})
	p.Yield = true
	if c.int(0) != -1 {
		c.target(0)
	}
}

func doYield(c *call, o *kernel.Outcome) int64 {
	o.Idle = true
	if c.int(0) == -1 {
		return 0
	}
	_, t := c.target(0)
	if t == nil || t.state != running {
		return noThread
	}
	return 0
}

// target is the thread that argument i names: its TID, trace.NoThread for an
// unknown number, and its state. The call reads its state, even if the thread
// doesn't exist yet: after its creation the same call may find it descheduled.
func (c *call) target(i int) (trace.TID, *thread) {
	id := c.k.lookup(uint64(uint32(c.int(i))))
	if id == trace.NoThread {
		return id, nil
	}
	c.touch(runWord(id), wordSize, 0)
	return id, c.k.thread(id)
}

func planDeschedule(c *call, p *kernel.Plan) {
	if !c.k.canRead(c.a[0], 4) {
		c.misses(p, c.a[0], 4, emu.ProtRead)
		return
	}
	c.event(p, c.descheduleOp())
	c.touch(c.a[0], 4, 0)
	c.touch(runWord(c.t.id), wordSize, trace.Write)
}

func (c *call) descheduleOp() trace.Op {
	return trace.Op{Kind: trace.OpDeschedule, Obj: uint64(c.t.id), PC: c.pc}
}

func doDeschedule(c *call, o *kernel.Outcome) int64 {
	k := c.k
	if !k.canRead(c.a[0], 4) {
		return badPointer
	}
	c.touch(c.a[0], 4, 0)
	if k.mem.Read32(c.a[0]) != 0 {
		o.Idle = true
		return 0
	}
	c.touch(runWord(c.t.id), wordSize, trace.Write)
	k.set(&c.t.state, descheduled)
	o.Sleep, o.Pending = true, c.descheduleOp()
	return 0
}

func planMakeRunnable(c *call, p *kernel.Plan) {
	id, _ := c.target(0)
	c.event(p, trace.Op{Kind: trace.OpMakeRunnable, Obj: uint64(int64(id))})
}

func doMakeRunnable(c *call, o *kernel.Outcome) int64 {
	id, t := c.target(0)
	if t == nil || t.state != descheduled {
		o.Idle = true
		return noThread
	}
	c.touch(runWord(id), wordSize, trace.Write)
	c.k.set(&t.state, running)
	c.k.host.SetResult(id, 0)
	c.k.wakes = append(c.k.wakes, id)
	return 0
}

func planSleep(c *call, p *kernel.Plan) {
	if c.int(0) > 0 {
		c.event(p, trace.Op{Kind: trace.OpSleep})
		p.Yield = true
	}
}

// doSleep: a sleep may last for any time, so it is a yield after which the
// thread's clock shows that the time has passed.
func doSleep(c *call, o *kernel.Outcome) int64 {
	n := c.int(0)
	switch {
	case n < 0:
		return badArgument
	case n == 0:
		return 0
	}
	c.k.set(&c.t.ticks, c.t.ticks+uint64(n))
	// A loop around it that looks at no clock can be a spin.
	o.Idle = true
	return 0
}

// doGetTicks reads the thread's own clock. It goes on by a tick with every
// look, so that a loop that waits for a time ends. It doesn't depend on other
// threads' actions, so a look at it depends on nothing.
func doGetTicks(c *call, _ *kernel.Outcome) int64 {
	now := c.t.ticks
	c.k.set(&c.t.ticks, now+1)
	return int64(now & 0x7fffffff)
}

// Deadlines implements kernel.Kernel: no call waits for a time.
func (k *Kernel) Deadlines(func(trace.TID, uint64)) {}

// Expire implements kernel.Kernel. It has nothing to do, because no thread is ever named by
// NextDeadline.
func (k *Kernel) Expire(trace.TID) {}

// AdvanceTo implements kernel.Kernel.
func (k *Kernel) AdvanceTo(ns uint64) { k.set(&k.now, max(k.now, ns)) }
