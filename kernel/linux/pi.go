package linux

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Futexes with priority inheritance (Linux's Documentation/locking/pi-futex). The word holds
// the owner's thread id. A call on a futex that another thread owns sets FUTEX_WAITERS, a try
// too. From then on the owner's own compare-and-exchange fails, and it releases the futex by a
// call. That one hands the futex to the thread that has waited longest: all have the same
// priority. No other thread can be faster. The new owner's call is made again, and finds that.
//
// So does the owner's end, and the word says that its owner died.

// owns reports whether t is the owner of the futex at addr.
func (qs *queues) owns(t *thread, addr uint64) bool {
	return uint64(qs.log.Read32(addr))&futexTIDMask == t.number
}

// ownedByOther reports whether a lock of addr by t would have to wait.
func (qs *queues) ownedByOther(t *thread, addr uint64) bool {
	owner := uint64(qs.log.Read32(addr)) & futexTIDMask
	return owner != t.number && qs.roster.numbered(owner) != nil
}

// lockPI is the operation of a call that takes the futex.
func (f *futex) lockPI() trace.OpKind {
	if f.cmd == futexTrylockPI {
		return trace.OpFutexTryPI
	}
	return trace.OpFutexLockPI
}

func planLockPI(c *call, p *kernel.Plan, f futex) {
	op := futexOp(f.lockPI(), f.addr)
	if qs := &c.k.queues; f.addr&3 == 0 && c.t.wait.granted.Peek() != f.addr && (qs.ownedByOther(c.t, f.addr) || qs.owns(c.t, f.addr)) {
		op.Kind = trace.OpFutexWait
		if c.k.cfg.TimeoutsAny && f.cmd != futexTrylockPI && f.timeout != 0 && !qs.owns(c.t, f.addr) {
			p.Outcomes = 2
		}
	}
	c.event(p, op)
}

func (c *call) futexLockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	deadline, errno := c.deadline(f)
	if errno == 0 && !k.user.canWrite(f.addr, 4) {
		errno = efault
	}
	if errno != 0 {
		o.Idle = true
		return errno
	}
	word := uint64(k.log.Read32(f.addr))
	owner := word & futexTIDMask
	switch {
	case c.t.wait.granted.Peek() == f.addr:
		k.log.Init(&c.t.wait.granted, 0)
		c.op(futexOp(f.lockPI(), f.addr))
		return 0
	case owner == 0:
		c.op(futexOp(f.lockPI(), f.addr))
		k.log.Write32(f.addr, uint32(c.t.number|word&futexOwnerDied))
		return 0
	}
	op := futexOp(trace.OpFutexWait, f.addr)
	c.op(op)
	switch {
	case owner == c.t.number:
		o.Idle = true
		return edeadlk
	case k.roster.numbered(owner) == nil:
		errno = esrch
	case f.cmd == futexTrylockPI:
		errno = eagain
	}
	k.log.Write32(f.addr, uint32(word|futexWaiters))
	if errno != 0 {
		o.Idle = word&futexWaiters != 0
		return errno
	}
	if c.choice == 1 || deadline <= c.get(&k.clock.now) {
		c.op(futexOp(trace.OpFutexTimeout, f.addr))
		k.clock.passes(deadline)
		return etimedout
	}
	c.sleep(o, waitPI, f.addr, matchAny, deadline, op)
	return 0
}

func (c *call) futexUnlockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if !k.user.canWrite(f.addr, 4) {
		o.Idle = true
		return efault
	}
	if !k.queues.owns(c.t, f.addr) {
		c.op(futexOp(trace.OpFutexWait, f.addr))
		o.Idle = true
		return eperm
	}
	c.op(futexOp(trace.OpFutexUnlockPI, f.addr))
	k.queues.release(f.addr, 0)
	return 0
}

// release takes a futex from its owner, leaving bits in the word, and gives it to the thread
// that has waited longest.
func (qs *queues) release(addr, bits uint64) {
	w := qs.waiters(addr, waitPI, matchAny)
	if len(w) == 0 {
		qs.log.Write32(addr, uint32(bits))
		return
	}
	t := w[0]
	qs.log.Write32(addr, uint32(t.number|futexWaiters|bits))
	regs := *qs.now.host.Regs(t.id)
	qs.again(t, &regs)
	qs.dequeue(t)
	qs.log.Init(&t.wait.granted, addr)
	qs.now.host.SetRegs(t.id, &regs)
	qs.now.wakes = append(qs.now.wakes, t.id)
}

// again makes a sleeper's call start anew.
func (qs *queues) again(t *thread, regs *emu.Regs) {
	regs.RAX = t.sleepCall.Peek()
	regs.RIP -= syscallSize
}

// abandoned appends the futexes of t that others sleep for, to those that it holds on its
// robust list.
func (qs *queues) abandoned(t *thread, held []departure) []departure {
	for _, u := range qs.roster.threads {
		if u == nil || u.wait.kind.Peek() != waitPI {
			continue
		}
		addr := u.wait.addr.Peek()
		if !qs.owns(t, addr) ||
			slices.ContainsFunc(held, func(d departure) bool { return d.addr == addr }) {
			continue
		}
		held = append(held, departure{addr: addr, pi: true})
	}
	return held
}
