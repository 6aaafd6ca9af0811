package linux

import (
	"slices"

	"landgo/emu"
	"landgo/internal/abi"
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
//
// From the first wait on Linux knows the owner itself, whatever is written over the word. A lock
// or a release that the word contradicts fails. The owner's end hands the futex on all the same.

// owns reports whether t is the owner of the futex at addr.
func (qs *queues) owns(t *thread, addr uint64) bool {
	return uint64(qs.log.Read32(addr))&futexTIDMask == t.number
}

// holder is the owner of the futex at addr that Linux knows, 0 if no thread waits for it.
func (qs *queues) holder(addr uint64) uint64 {
	for _, u := range qs.waiters(addr, waitPI, matchAny) {
		return u.wait.owner.Peek()
	}
	for _, u := range qs.roster.threads {
		if u != nil && u.wait.granted.Peek() == addr|unwritten {
			return u.number
		}
	}
	return 0
}

// hinders is why t can't take the futex at addr: 0 if it can, EAGAIN if it has to wait.
func (qs *queues) hinders(t *thread, addr uint64) uint64 {
	word := uint64(qs.log.Read32(addr))
	owner, holder := word&futexTIDMask, qs.holder(addr)
	switch {
	case t.wait.granted.Peek()&^unwritten == addr:
		return 0
	case owner == t.number:
		return edeadlk
	case holder != 0 && owner != holder && (owner != 0 || word&futexOwnerDied == 0):
		return einval
	case holder == 0 && owner == 0:
		return 0
	case holder == 0 && qs.roster.numbered(owner) == nil:
		return esrch
	}
	return eagain
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
	if f.addr&3 == 0 {
		errno := c.k.queues.hinders(c.t, f.addr)
		if errno != 0 && errno != esrch {
			op.Kind = trace.OpFutexWait
		}
		if errno == eagain && c.k.cfg.TimeoutsAny && f.cmd != futexTrylockPI && f.timeout != 0 {
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
	granted := c.t.wait.granted.Peek()
	errno = k.queues.hinders(c.t, f.addr)
	if errno == 0 {
		c.op(futexOp(f.lockPI(), f.addr))
		switch granted {
		case f.addr | unwritten:
			k.log.Write32(f.addr, uint32(c.t.number|futexWaiters|futexOwnerDied))
			fallthrough
		case f.addr:
			k.log.Init(&c.t.wait.granted, 0)
		default:
			k.log.Write32(f.addr, uint32(c.t.number|word&futexOwnerDied))
		}
		return 0
	}
	op := futexOp(trace.OpFutexWait, f.addr)
	c.op(op)
	if errno == edeadlk || errno == einval {
		o.Idle = true
		return errno
	}
	holder := k.queues.holder(f.addr)
	if holder == 0 {
		holder = word & futexTIDMask
		k.log.Write32(f.addr, uint32(word|futexWaiters))
	}
	if errno == esrch || f.cmd == futexTrylockPI {
		o.Idle = word&futexWaiters != 0
		return errno
	}
	if c.choice == 1 || deadline <= c.get(&k.clock.now) {
		c.op(futexOp(trace.OpFutexTimeout, f.addr))
		k.clock.passes(deadline)
		return etimedout
	}
	k.log.Init(&c.t.wait.owner, holder)
	c.sleep(o, waitPI, f.addr, matchAny, deadline, op)
	return 0
}

func (c *call) futexUnlockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if !k.queues.owns(c.t, f.addr) { // it only reads the word, and takes no lock
		o.Idle = true
		return eperm
	}
	if !k.user.canWrite(f.addr, 4) {
		o.Idle = true
		return efault
	}
	c.op(futexOp(trace.OpFutexUnlockPI, f.addr))
	if holder := k.queues.holder(f.addr); holder != 0 && holder != c.t.number {
		o.Idle = true
		return einval
	}
	k.queues.release(f.addr, 0)
	return 0
}

// release takes a futex from its owner, leaving bits in the word, and gives it to the thread
// that has waited longest.
func (qs *queues) release(addr, bits uint64) {
	if t := qs.hand(addr, addr); t != nil {
		bits |= t.number | futexWaiters
	}
	qs.log.Write32(addr, uint32(bits))
}

// unwritten, beside a granted futex: its new owner has to write the word yet.
const unwritten = 1

// hand gives a futex to the thread that has waited longest, nil if none waits.
func (qs *queues) hand(addr, granted uint64) *thread {
	w := qs.waiters(addr, waitPI, matchAny)
	if len(w) == 0 {
		return nil
	}
	t := w[0]
	for _, u := range w {
		qs.log.Init(&u.wait.owner, t.number)
	}
	regs := *qs.now.host.Regs(t.id)
	qs.again(t, &regs)
	qs.dequeue(t)
	qs.log.Init(&t.wait.granted, granted)
	qs.now.host.SetRegs(t.id, &regs)
	qs.now.wakes = append(qs.now.wakes, t.id)
	return t
}

// bequeath is the end of the owner: the new one writes the word itself if another value is there.
// (Deviation: else it's written at once.)
func (qs *queues) bequeath(t *thread, addr uint64) {
	word := uint64(qs.log.Read32(addr))
	switch owner := word & futexTIDMask; {
	case owner == t.number || owner == 0 && word&futexOwnerDied != 0:
		qs.release(addr, futexWaiters|futexOwnerDied)
	default:
		qs.hand(addr, addr|unwritten)
	}
}

// again makes a sleeper's call start anew.
func (qs *queues) again(t *thread, regs *emu.Regs) {
	regs.RAX = t.sleepCall.Peek()
	regs.RIP -= abi.SyscallSize
}

// abandoned appends the futexes of t that others sleep for, to those that it holds on its
// robust list.
func (qs *queues) abandoned(t *thread, held []departure) []departure {
	for _, u := range qs.roster.threads {
		if u == nil || u.wait.kind.Peek() != waitPI || u.wait.owner.Peek() != t.number {
			continue
		}
		d := departure{addr: u.wait.addr.Peek(), handed: true}
		if !slices.Contains(held, d) {
			held = append(held, d)
		}
	}
	return held
}
