package linux

import (
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Futexes with priority inheritance (Linux's Documentation/locking/pi-futex).
// The word holds the owner's thread id. A lock of an owned one blocks. It is
// possible again when the word has no owner, by a call or by the owner's own
// compare-and-exchange, so there is no queue.
//
// That is where landgo deviates: Linux hands the futex to the waiter with the
// highest priority, here all have the same and any of them may be next, the
// releasing thread too. POSIX allows it, and every order that Linux can have is
// among them.
//
// Only a lock with a timeout sleeps in a queue, so that its deadline is known.
// A release lets all of those try again, and so does the owner's end: the word says
// then that its owner died. A lock without one, whose owner has ended, isn't modelled:
// Linux gives it the futex if it came before that, and ESRCH if it came behind.

// A call that fails because of the word's owner changes nothing and counts as a
// wait that returns at once. For a search only a lock that was taken is a lock,
// and only an owner's unlock ends it.

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
	c.event(p, futexOp(f.lockPI(), f.addr))
	if f.addr&3 != 0 {
		return
	}
	if !c.k.queues.ownedByOther(c.t, f.addr) {
		if c.k.queues.owns(c.t, f.addr) {
			c.event(p, futexOp(trace.OpFutexWait, f.addr))
		}
		return
	}
	switch {
	case f.cmd == futexTrylockPI:
		c.event(p, futexOp(trace.OpFutexWait, f.addr))
	case f.timeout == 0:
		p.Blocked = true
	default:
		c.event(p, futexOp(trace.OpFutexWait, f.addr))
		if c.k.cfg.TimeoutsAny {
			p.Outcomes = 2
		}
	}
}

func (c *call) futexLockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if !k.user.canWrite(f.addr, 4) {
		o.Idle = true
		return efault
	}
	word := uint64(k.log.Read32(f.addr))
	owner := word & futexTIDMask
	switch {
	case owner == 0:
		c.op(futexOp(f.lockPI(), f.addr))
		k.log.Write32(f.addr, uint32(c.t.number|word&futexOwnerDied))
		return 0
	case owner == c.t.number:
		c.op(futexOp(trace.OpFutexWait, f.addr))
		o.Idle = true
		return edeadlk
	}
	op := futexOp(trace.OpFutexWait, f.addr)
	c.op(op)
	deadline, errno := c.deadline(f)
	switch {
	case f.cmd == futexTrylockPI:
		errno = eagain
	case k.roster.numbered(owner) == nil:
		if _, lived := k.roster.numbers[owner]; lived && f.timeout == 0 {
			o.Gap, o.Invalid = kernel.GapCall, "futex(FUTEX_LOCK_PI) without a timeout of a futex whose owner has ended, and hadn't released it, is not modelled"
			return 0
		}
		errno = esrch
	}
	if errno != 0 {
		o.Idle = true
		return errno
	}
	if c.choice == 1 || deadline <= c.get(&k.clock.now) {
		c.op(futexOp(trace.OpFutexTimeout, f.addr))
		k.clock.passes(deadline)
		return etimedout
	}
	k.log.Write32(f.addr, uint32(word|futexWaiters))
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

// release takes a futex from its owner, leaving bits in the word, and lets
// those that sleep for it make their calls again.
func (qs *queues) release(addr, bits uint64) {
	qs.log.Write32(addr, uint32(bits))
	for _, t := range qs.waiters(addr, waitPI, matchAny) {
		regs := *qs.now.host.Regs(t.id)
		qs.again(t, &regs)
		qs.dequeue(t)
		qs.now.host.SetRegs(t.id, &regs)
		qs.now.wakes = append(qs.now.wakes, t.id)
	}
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
