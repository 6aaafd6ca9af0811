package linux

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// Futexes (Franke, Russell and Kirkwood, OLS 2002; futex(2)). A wait is one
// event: it reads the word and, if that has the expected value, puts the thread
// into the address's queue in the same step. There are no spurious wake-ups; which
// waiters a wake lets go is a choice. Linux looks for private and for shared futexes
// in different places: a wake of one kind finds no waiter of the other, not in one
// process either.

// Operations and flags.
const (
	futexWait          = 0
	futexWake          = 1
	futexRequeue       = 3
	futexCmpRequeue    = 4
	futexWakeOp        = 5
	futexLockPI        = 6
	futexUnlockPI      = 7
	futexTrylockPI     = 8
	futexWaitBitset    = 9
	futexWakeBitset    = 10
	futexLockPI2       = 13
	futexPrivate       = 128
	futexClockRealtime = 256

	matchAny = 1<<32 - 1
	// notPrivate, beside a waiter's or a wake's bits: its futex isn't a private one.
	notPrivate = 1 << 32
)

// Bits of a futex word that has an owner.
const (
	futexWaiters   = 0x80000000
	futexOwnerDied = 0x40000000
	futexTIDMask   = 0x3fffffff
)

// futex is a decoded call.
type futex struct {
	cmd      uint64
	realtime bool
	addr     uint64
	val      uint64
	addr2    uint64
	val2     uint64 // a number of waiters where timeout isn't used
	timeout  uint64 // address, 0 for none
	val3     uint64
	kind     uint64 // 0 or notPrivate
}

// among are the bits of a wait or a wake of the call's kind of futex.
func (f *futex) among(bits uint64) uint64 { return bits | f.kind }

// unknown reports whether Linux 6 has no such operation: behind FUTEX_LOCK_PI2, and FUTEX_FD, which
// it hasn't any more. Few may name a clock.
func (f *futex) unknown() bool {
	const fd = 2
	return f.cmd > futexLockPI2 || f.cmd == fd || f.realtime && !f.takesClock()
}

func (f *futex) takesClock() bool {
	const waitRequeuePI = 11
	return f.cmd == futexWaitBitset || f.cmd == futexLockPI2 || f.cmd == waitRequeuePI
}

func (c *call) futex() futex {
	op := c.a[1] & 0xffffffff
	f := futex{
		cmd: op &^ (futexPrivate | futexClockRealtime), realtime: op&futexClockRealtime != 0,
		addr: c.a[0], val: c.a[2] & 0xffffffff, addr2: c.a[4], val3: c.a[5] & 0xffffffff,
	}
	if op&futexPrivate == 0 {
		f.kind = notPrivate
	}
	switch f.cmd {
	case futexWait, futexWaitBitset, futexLockPI, futexLockPI2:
		f.timeout = c.a[3]
	default:
		f.val2 = count(c.a[3])
	}
	switch f.cmd {
	case futexWait, futexWake:
		f.val3 = matchAny
	}
	return f
}

// count is a number of waiters, as a C int. Linux wakes one for a negative number, and refuses to move so many.
func count(v uint64) uint64 {
	if n := int32(v); n > 0 {
		return uint64(n)
	}
	return 0
}

// wakeCount is the number of waiters that FUTEX_WAKE asks for: at least one is
// woken even for 0.
func wakeCount(v uint64) uint64 { return max(count(v), 1) }

var futexNames = [...]string{
	futexWait: "futex(FUTEX_WAIT)", futexWake: "futex(FUTEX_WAKE)",
	futexRequeue: "futex(FUTEX_REQUEUE)", futexCmpRequeue: "futex(FUTEX_CMP_REQUEUE)",
	futexWakeOp: "futex(FUTEX_WAKE_OP)", futexLockPI: "futex(FUTEX_LOCK_PI)",
	futexUnlockPI: "futex(FUTEX_UNLOCK_PI)", futexTrylockPI: "futex(FUTEX_TRYLOCK_PI)",
	futexWaitBitset: "futex(FUTEX_WAIT_BITSET)", futexWakeBitset: "futex(FUTEX_WAKE_BITSET)",
	futexLockPI2: "futex(FUTEX_LOCK_PI2)",
}

// touchWords records a call's indivisible reads and writes, even if it doesn't
// make them now: in another order it may. A wake uses the address as a name
// only.
func (c *call) touchWords(f futex) {
	touch := c.k.log.Touch
	switch f.cmd {
	case futexWait, futexWaitBitset, futexCmpRequeue:
		touch(f.addr, 4, trace.Atomic)
	case futexWakeOp:
		touch(f.addr2, 4, trace.Write|trace.RMW|trace.Atomic)
	case futexUnlockPI:
		if touch(f.addr, 4, trace.Atomic); !c.k.user.canRead(f.addr, 4) || !c.k.queues.owns(c.t, f.addr) {
			return // it only looks
		}
		fallthrough
	case futexLockPI, futexLockPI2, futexTrylockPI:
		touch(f.addr, 4, trace.Write|trace.RMW|trace.Atomic)
	}
}

func planFutex(c *call, p *kernel.Plan) {
	f := c.futex()
	if f.unknown() {
		return
	}
	if futexNames[f.cmd] == "" {
		invalid(p, hexReason("futex operation %d is not modelled", f.cmd))
		return
	}
	p.Name = futexNames[f.cmd]
	outcomes := uint64(1)
	op := futexOp(trace.OpFutexWake, f.addr)
	plain := func(addr uint64) uint64 { return c.k.queues.count(addr, waitFutex, f.among(matchAny)) }
	switch f.cmd {
	case futexWait, futexWaitBitset:
		op.Kind = trace.OpFutexWait
		switch {
		case f.addr&3 != 0 || !c.k.user.canRead(f.addr, 4):
		case c.k.log.Read32(f.addr) != uint32(f.val):
			op.Kind = trace.OpFutexLook
		case c.k.cfg.TimeoutsAny && f.timeout != 0:
			outcomes = 2
		}
	case futexWake, futexWakeBitset:
		waiting := c.k.queues.count(f.addr, waitFutex, f.among(f.val3))
		op.Kind = wakeKind(waiting)
		outcomes = choices(waiting, wakeCount(f.val))
	case futexRequeue, futexCmpRequeue:
		op = futexOp(trace.OpFutexRequeue, f.addr)
		m, n := plain(f.addr), count(f.val)
		outcomes = product(choices(m, n), choices(m-min(m, n), f.val2))
	case futexWakeOp:
		m, m2 := plain(f.addr), plain(f.addr2)
		if _, also := wakeOp(f.val3, c.k.log.Read32(f.addr2)); !also {
			m2 = 0
		}
		outcomes = product(choices(m, wakeCount(f.val)), choices(m2, wakeCount(f.val2)))
	case futexLockPI, futexLockPI2, futexTrylockPI:
		planLockPI(c, p, f)
		return
	case futexUnlockPI:
		if op = futexOp(trace.OpFutexUnlockPI, f.addr); f.addr&3 == 0 && !c.k.queues.owns(c.t, f.addr) {
			op.Kind = trace.OpFutexWait
		}
	}
	if outcomes > maxOutcomes {
		beyond(p, kernel.GapThreads, p.Name+": too many threads wait at one address to try which are woken")
		return
	}
	c.event(p, op)
	p.Outcomes = uint32(outcomes)
}

func doFutex(c *call, o *kernel.Outcome) uint64 {
	f := c.futex()
	if f.unknown() {
		return enosys
	}
	if f.addr&3 != 0 || c.wrongFutex(&f) {
		o.Idle = true
		return einval
	}
	c.touchWords(f)
	if f.cmd == futexWake || f.cmd == futexWakeBitset || f.cmd == futexRequeue {
		// The address is a name only. (Deviation: that another thread takes its page
		// away is in order with nothing; a wake fails then, or finds no waiter.)
		if !c.k.log.Names(f.addr) {
			o.Idle = true
			return efault
		}
	} else if !c.k.user.canRead(f.addr, 4) {
		o.Idle = true
		return efault
	}
	switch f.cmd {
	case futexWait, futexWaitBitset:
		return c.futexWait(f, o)
	case futexWake, futexWakeBitset:
		c.op(futexOp(wakeKind(c.k.queues.count(f.addr, waitFutex, f.among(f.val3))), f.addr))
		return c.woken(o, c.k.queues.wakeSome(f.addr, f.among(f.val3), wakeCount(f.val)))
	case futexRequeue, futexCmpRequeue:
		return c.futexRequeue(f, o)
	case futexWakeOp:
		return c.futexWakeOp(f, o)
	case futexLockPI, futexLockPI2, futexTrylockPI:
		return c.futexLockPI(f, o)
	}
	return c.futexUnlockPI(f, o)
}

// wrongFutex reports whether Linux refuses a call by its numbers alone: waiters of no bits, or fewer than none.
func (c *call) wrongFutex(f *futex) bool {
	switch f.cmd {
	case futexWaitBitset, futexWakeBitset:
		return f.val3 == 0
	case futexRequeue, futexCmpRequeue:
		return c.int32(2) < 0 || c.int32(3) < 0
	}
	return false
}

// wakeKind is the kind of a wake that finds this many waiters.
func wakeKind(waiting uint64) trace.OpKind {
	if waiting == 0 {
		return trace.OpFutexMiss
	}
	return trace.OpFutexWake
}

// woken is the result of a wake.
func (c *call) woken(o *kernel.Outcome, n uint64) uint64 {
	o.Idle = n == 0
	return n
}

func (c *call) futexWait(f futex, o *kernel.Outcome) uint64 {
	deadline, errno := c.deadline(f)
	if errno != 0 {
		o.Idle = true
		return errno
	}
	if c.k.log.Read32(f.addr) != uint32(f.val) {
		c.op(futexOp(trace.OpFutexLook, f.addr))
		o.Idle = true
		return eagain
	}
	if deadline != noDeadline && (c.choice == 1 || deadline <= c.get(&c.k.clock.now)) {
		c.op(futexOp(trace.OpFutexTimeout, f.addr))
		c.k.clock.passes(deadline)
		return etimedout
	}
	op := futexOp(trace.OpFutexWait, f.addr)
	c.op(op)
	c.sleep(o, waitFutex, f.addr, f.among(f.val3), deadline, op)
	return 0
}

// sleep puts the caller into a queue.
func (c *call) sleep(o *kernel.Outcome, kind waitKind, addr, bits, deadline uint64, pending trace.Op) {
	pending.PC = c.pc
	c.k.queues.enqueue(c.t, kind, addr, bits, deadline)
	o.Sleep, o.Pending = true, pending
}

// deadline is when a wait runs out, on the virtual clock. FUTEX_WAIT's timeout
// is relative, all others' absolute.
func (c *call) deadline(f futex) (uint64, uint64) {
	if f.timeout == 0 {
		return noDeadline, 0
	}
	ns, errno := c.k.user.timespec(f.timeout)
	if errno != 0 {
		return 0, errno
	}
	switch {
	case f.cmd == futexWait:
		return saturatingAdd(c.get(&c.k.clock.now), ns), 0
	case f.realtime || f.cmd == futexLockPI:
		return sinceEpoch(ns), 0
	}
	return sinceBoot(ns), 0
}

func (c *call) futexRequeue(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if f.addr2&3 != 0 {
		o.Idle = true
		return einval
	}
	if f.addr2 >= kernelHalf {
		o.Idle = true
		return efault
	}
	c.op(futexOp(trace.OpFutexRequeue, f.addr))
	if f.cmd == futexCmpRequeue && k.log.Read32(f.addr) != uint32(f.val3) {
		o.Idle = true
		return eagain
	}
	c.op(futexOp(trace.OpFutexRequeue, f.addr2))
	n := k.queues.wakeSome(f.addr, f.among(matchAny), count(f.val))
	if f.addr2 == f.addr {
		return c.woken(o, n)
	}
	rest := k.queues.waiters(f.addr, waitFutex, f.among(matchAny))
	if len(rest) > 0 {
		for i, taken := range pick(&c.choice, uint64(len(rest)), f.val2) {
			if !taken {
				continue
			}
			t := rest[i]
			kind, bits, deadline := t.wait.kind.Peek(), t.wait.bits.Peek(), t.wait.deadline.Peek()
			k.queues.dequeue(t)
			k.queues.enqueue(t, kind, f.addr2, bits, deadline)
			n++
		}
	}
	return c.woken(o, n)
}

// Encodings of FUTEX_WAKE_OP's argument.
const (
	wakeOpSet = iota
	wakeOpAdd
	wakeOpOr
	wakeOpAndn
	wakeOpXor
	wakeOpShift = 8
)

// wakeOp is the new value of the second word, and whether to wake there, for
// its old value.
func wakeOp(encoded uint64, old uint32) (new uint32, also bool) {
	op := encoded >> 28 & 15
	arg := uint32(int32(encoded<<8) >> 20) // bits 12-23, sign extended
	cmp := uint32(int32(encoded<<20) >> 20)
	if op&wakeOpShift != 0 {
		arg = 1 << (arg & 31)
	}
	switch op &^ wakeOpShift {
	case wakeOpSet:
		new = arg
	case wakeOpAdd:
		new = old + arg
	case wakeOpOr:
		new = old | arg
	case wakeOpAndn:
		new = old &^ arg
	case wakeOpXor:
		new = old ^ arg
	}
	switch encoded >> 24 & 15 {
	case 0:
		also = old == cmp
	case 1:
		also = old != cmp
	case 2:
		also = int32(old) < int32(cmp)
	case 3:
		also = int32(old) <= int32(cmp)
	case 4:
		also = int32(old) > int32(cmp)
	case 5:
		also = int32(old) >= int32(cmp)
	}
	return new, also
}

func (c *call) futexWakeOp(f futex, o *kernel.Outcome) uint64 {
	k := c.k
	if f.addr2&3 != 0 || f.val3>>28&7 > wakeOpXor || f.val3>>24&15 > 5 {
		o.Idle = true
		return einval
	}
	if !k.user.canWrite(f.addr2, 4) {
		o.Idle = true
		return efault
	}
	c.op(futexOp(trace.OpFutexWake, f.addr))
	c.op(futexOp(trace.OpFutexWake, f.addr2))
	new, also := wakeOp(f.val3, k.log.Read32(f.addr2))
	k.log.Write32(f.addr2, new)
	n := k.queues.wakeSome(f.addr, f.among(matchAny), wakeCount(f.val))
	if also {
		n += k.queues.wakeSome(f.addr2, f.among(matchAny), wakeCount(f.val2))
	}
	return n
}
