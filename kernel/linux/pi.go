package linux

import (
	"landgo/kernel"
	"landgo/trace"
)

// Futexes with priority inheritance (Linux's Documentation/locking/pi-futex).
// The word holds the owner's thread id; a thread that finds it owned sets
// FUTEX_WAITERS and sleeps, and an unlock hands the futex to a sleeper. Linux
// takes the one with the highest priority; here all have the same, and which
// one it is, is a choice.

// ownedByOther reports whether a lock of addr by t would have to wait.
func (k *Kernel) ownedByOther(t *thread, addr uint64) bool {
	owner := uint64(k.m.Read32(addr)) & futexTIDMask
	return owner != 0 && owner != t.number
}

func (c *call) futexLockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if !k.canWrite(f.addr, 4) {
		o.Idle = true
		return efault
	}
	op := futexOp(trace.OpFutexLockPI, f.addr)
	c.op(op)
	word := uint64(k.m.Read32(f.addr))
	owner := word & futexTIDMask
	switch {
	case owner == 0:
		new := c.t.number | word&futexOwnerDied
		if k.count(f.addr, waitPI, matchAny) > 0 {
			new |= futexWaiters
		}
		k.m.Write32(f.addr, uint32(new))
		return 0
	case owner == c.t.number:
		o.Idle = true
		return edeadlk
	case f.cmd == futexTrylockPI:
		o.Idle = true
		return eagain
	case k.numbered(owner) == nil:
		o.Idle = true
		return esrch
	}
	deadline, errno := c.deadline(f)
	if errno != 0 {
		o.Idle = true
		return errno
	}
	if deadline != noDeadline && (c.choice == 1 || deadline <= k.now(c.t)) {
		c.op(futexOp(trace.OpFutexTimeout, f.addr))
		k.notBefore(c.t, deadline)
		return etimedout
	}
	k.m.Write32(f.addr, uint32(word|futexWaiters))
	c.sleep(o, waitPI, f.addr, matchAny, deadline, op)
	return 0
}

func (c *call) futexUnlockPI(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if !k.canWrite(f.addr, 4) {
		o.Idle = true
		return efault
	}
	c.op(futexOp(trace.OpFutexUnlockPI, f.addr))
	if uint64(k.m.Read32(f.addr))&futexTIDMask != c.t.number {
		o.Idle = true
		return eperm
	}
	k.handOver(f.addr, 0)
	return 0
}

// handOver passes a futex on from its owner: to a waiter of the call's choice,
// or to nobody.
func (k *Kernel) handOver(addr, bits uint64) {
	w := k.waiters(addr, waitPI, matchAny)
	word := bits
	if len(w) > 0 {
		i := k.call.choice % uint64(len(w))
		k.call.choice /= uint64(len(w))
		word |= w[i].number
		if len(w) > 1 {
			word |= futexWaiters
		}
		k.wake(w[i], 0)
	}
	k.m.Write32(addr, uint32(word))
}
