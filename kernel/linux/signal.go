package linux

import (
	"encoding/binary"
	"math/bits"

	"landgo/emu"
	"landgo/kernel"
	"landgo/trace"
)

// Signals, as thread programs use them: cancellation (both libcs send a
// real-time signal), raise and abort, handlers reached by raise, pthread_kill
// and faults, masks, sigsuspend and sigwait.
//
// A signal is delivered in the step that sends it: its target goes on in the
// handler from wherever it stands, out of a sleep too. Hardware may be later;
// but a later delivery to a thread that the signal finds running is this one
// with the sender's step later, as far as the target can tell. So sending to
// another thread (OpCancel with the target as object) depends on every step of
// that thread. A signal that the target blocks waits until it unblocks it.
//
// Signals carry no more than their number and sender: sigqueue isn't modelled,
// and a real-time signal sent twice while blocked arrives once.

const (
	numSignals = 65

	sigIll  = 4
	sigTrap = 5
	sigAbrt = 6
	sigFpe  = 8
	sigKill = 9
	sigSegv = 11
	sigChld = 17
	sigCont = 18
	sigStop = 19
	sigTstp = 20
	sigTtin = 21
	sigTtou = 22
	sigUrg  = 23
	sigWnch = 28

	sigDefault = 0 // SIG_DFL
	sigIgnore  = 1 // SIG_IGN

	saSiginfo   = 0x4
	saRestorer  = 0x04000000
	saOnstack   = 0x08000000
	saRestart   = 0x10000000
	saNodefer   = 0x40000000
	saResethand = 0x80000000

	// Real-time signals that libc uses inside: glibc's cancellation and setxid
	// (32, 33), musl's timers, cancellation, synchronous calls (32, 33, 34).
	internalLow, internalHigh = 32, 34
)

// action is what a signal does: a state of the process.
type action struct{ handler, flags, restorer, mask uint64 }

func bit(sig uint64) uint64 { return 1 << (sig - 1) }

// unblockable signals.
var unblockable = bit(sigKill) | bit(sigStop)

// fate is what a signal does to a thread that doesn't block it.
type fate uint8

const (
	fateIgnored fate = iota
	fateHandled
	fateDeadly
	fateStop
)

func (k *Kernel) fate(sig uint64) fate {
	switch k.actions[sig].handler {
	case sigIgnore:
		return fateIgnored
	case sigDefault:
		switch sig {
		case sigChld, sigCont, sigUrg, sigWnch:
			return fateIgnored
		case sigStop, sigTstp, sigTtin, sigTtou:
			return fateStop
		}
		return fateDeadly
	}
	return fateHandled
}

// Handles reports whether the guest has a handler for a signal.
func (k *Kernel) Handles(signal int) bool {
	return signal > 0 && signal < numSignals && k.fate(uint64(signal)) == fateHandled
}

// Resources of OpSyscall.
const (
	resourceActions = 1 + iota // signal dispositions
	resourceFiles              // descriptors and file offsets
	resourceStdout
	resourceStderr
	resourceClock
)

func onResource(number, changes uint64) trace.Op {
	return trace.Op{Kind: trace.OpSyscall, Obj: number, Arg: changes}
}

func memSigaction(c *call) {
	c.touch(c.a[1], 32, 0)
	c.touch(c.a[2], 32, trace.Write)
}

// planSigaction: dispositions are shared by all threads, so changing one is an
// event, but not for libc's own, which are set once before they matter.
func planSigaction(c *call, p *kernel.Plan) {
	if sig := c.a[0]; sig >= numSignals || sig >= internalLow && sig <= internalHigh {
		return
	}
	var changes uint64
	if c.a[1] != 0 {
		changes = 1
	}
	c.event(p, onResource(resourceActions, changes))
}

func doSigaction(c *call, o *kernel.Outcome) uint64 {
	k, sig := c.k, c.a[0]
	if sig == 0 || sig >= numSignals || c.a[3] != 8 || c.a[1] != 0 && unblockable&bit(sig) != 0 {
		return einval
	}
	a := &k.actions[sig]
	old := binary.LittleEndian.AppendUint64(append(pair(a.handler, a.flags), pair(a.restorer, a.mask)...), 0)[:32]
	if c.a[1] != 0 {
		if !k.canRead(c.a[1], 32) {
			return efault
		}
		k.set(&a.handler, k.m.Read64(c.a[1]))
		k.set(&a.flags, k.m.Read64(c.a[1]+8))
		k.set(&a.restorer, k.m.Read64(c.a[1]+16))
		k.set(&a.mask, k.m.Read64(c.a[1]+24)&^unblockable)
	}
	c.op(onResource(resourceActions, 1))
	if c.a[2] != 0 {
		return k.copyOut(c.a[2], old)
	}
	return 0
}

func memSigprocmask(c *call) {
	c.touch(c.a[1], 8, 0)
	c.touch(c.a[2], 8, trace.Write)
}

// newMask is the mask that rt_sigprocmask asks for.
func (c *call) newMask() (mask, errno uint64) {
	old := c.t.blocked
	if c.a[3] != 8 {
		return old, einval
	}
	if c.a[1] == 0 {
		return old, 0
	}
	if !c.k.canRead(c.a[1], 8) {
		return old, efault
	}
	set := c.k.m.Read64(c.a[1]) &^ unblockable
	switch c.a[0] {
	case 0:
		return old | set, 0
	case 1:
		return old &^ set, 0
	case 2:
		return set, 0
	}
	return old, einval
}

func planSigprocmask(c *call, p *kernel.Plan) {
	mask, _ := c.newMask()
	c.planMask(p, mask)
}

// planMask is the plan of a call that sets the caller's mask: local, unless a
// signal has been waiting for it that ends the process.
func (c *call) planMask(p *kernel.Plan, mask uint64) {
	for ready := (c.t.sent | c.k.pending) &^ mask; ready != 0; ready &= ready - 1 {
		if c.k.fate(uint64(bits.TrailingZeros64(ready))+1) == fateDeadly {
			c.event(p, trace.Op{Kind: trace.OpEnd})
		}
	}
}

func doSigprocmask(c *call, o *kernel.Outcome) uint64 {
	old := c.t.blocked
	mask, errno := c.newMask()
	if errno != 0 {
		return errno
	}
	c.k.set(&c.t.blocked, mask)
	if c.a[2] != 0 {
		return c.k.copyOut(c.a[2], pair(old, 0)[:8])
	}
	return 0
}

func doSigpending(c *call, o *kernel.Outcome) uint64 {
	sent := (c.t.sent | c.k.pending) & c.t.blocked
	return c.k.copyOut(c.a[0], pair(sent, 0)[:8])
}

func doSigaltstack(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	var old [24]byte
	binary.LittleEndian.PutUint64(old[0:], t.altStack)
	binary.LittleEndian.PutUint64(old[8:], t.altFlags)
	binary.LittleEndian.PutUint64(old[16:], t.altSize)
	if t.altSize == 0 {
		old[8] = ssDisable
	}
	if c.a[0] != 0 {
		if !k.canRead(c.a[0], 24) {
			return efault
		}
		sp, flags, size := k.m.Read64(c.a[0]), uint64(k.m.Read32(c.a[0]+8)), k.m.Read64(c.a[0]+16)
		switch {
		case t.onAltStack(c.regs.RSP):
			return eperm
		case flags&ssDisable != 0:
			sp, size = 0, 0
		case size < minSigstksz:
			return enomem
		}
		k.set(&t.altStack, sp)
		k.set(&t.altSize, size)
		k.set(&t.altFlags, 0)
	}
	if c.a[1] != 0 {
		return k.copyOut(c.a[1], old[:])
	}
	return 0
}

const (
	ssDisable   = 2
	minSigstksz = 2048
)

func (t *thread) onAltStack(sp uint64) bool {
	return t.altSize != 0 && sp > t.altStack && sp-t.altStack <= t.altSize
}

// target is what a kill is aimed at.
type target struct {
	sig    uint64
	t      *thread // nil: nobody
	shared bool    // sent to the process
	errno  uint64
}

// aim decodes tkill, tgkill and kill.
func (c *call) aim() target {
	number, sig := c.a[0], c.a[1]
	switch c.nr {
	case sysTgkill:
		number, sig = c.a[1], c.a[2]
		if int32(c.a[0]) != firstNumber {
			return target{errno: esrch}
		}
	case sysKill:
		if pid := c.int32(0); pid != firstNumber && pid != 0 && pid != -firstNumber {
			return target{errno: esrch}
		}
	}
	if sig >= numSignals {
		return target{errno: einval}
	}
	if c.nr == sysKill {
		return target{sig: sig, t: c.k.taker(sig), shared: true}
	}
	t := c.k.numbered(number & 0xffffffff)
	if t == nil {
		return target{errno: esrch}
	}
	return target{sig: sig, t: t}
}

// taker is the thread that takes a signal to the process: one that doesn't
// block it or waits for it, among those (as Linux prefers) the first thread,
// else the one with the lowest number; the first live one if all block it.
func (k *Kernel) taker(sig uint64) *thread {
	var best *thread
	takes := func(t *thread) bool {
		return sig == 0 || t.blocked&bit(sig) == 0 || t.awaits(sig)
	}
	for _, t := range k.threads {
		if t == nil || t.alive == 0 {
			continue
		}
		switch {
		case best == nil, takes(t) && !takes(best):
			best = t
		case takes(t) == takes(best) && t.number < best.number:
			best = t
		}
	}
	return best
}

// awaits reports whether t sleeps in a sigwait for sig.
func (t *thread) awaits(sig uint64) bool {
	return t.wait.kind == waitSignals && t.wait.bits&bit(sig) != 0
}

func planKill(c *call, p *kernel.Plan) {
	to := c.aim()
	if to.errno == einval {
		return
	}
	if to.sig == 0 || to.t == nil {
		c.event(p, trace.Op{Kind: trace.OpCancel, Obj: c.victim(to)})
		return
	}
	blocks := to.t.blocked&bit(to.sig) != 0
	switch f := c.k.fate(to.sig); {
	case f == fateStop:
		invalid(p, p.Name+" with a signal that stops the process is not modelled")
	case f == fateDeadly && !blocks:
		c.event(p, trace.Op{Kind: trace.OpEnd})
	case to.t == c.t:
		// To itself: nobody else can tell.
	default:
		c.event(p, trace.Op{Kind: trace.OpCancel, Obj: uint64(to.t.id)})
	}
}

// victim is the TID that a kill depends on, also where the thread is gone.
func (c *call) victim(to target) uint64 {
	number := c.a[0]
	switch {
	case to.t != nil:
		return uint64(to.t.id)
	case c.nr == sysTgkill:
		number = c.a[1]
	}
	return uint64(c.k.numbers[number&0xffffffff])
}

func doKill(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	to := c.aim()
	if to.t != c.t {
		c.op(trace.Op{Kind: trace.OpCancel, Obj: c.victim(to)})
	}
	switch {
	case to.errno != 0:
		o.Idle = true
		return to.errno
	case to.sig == 0 || to.t == nil:
		o.Idle = true
		return 0
	}
	k.send(to, o)
	return 0
}

// send delivers a signal or keeps it until it is unblocked. The caller's own
// are kept too: Do delivers them once the call has its result.
func (k *Kernel) send(to target, o *kernel.Outcome) {
	t, b := to.t, bit(to.sig)
	f := k.fate(to.sig)
	switch {
	case f == fateIgnored && t.blocked&b == 0:
	case t.blocked&b != 0 && t.awaits(to.sig): // sigwait
		k.wake(t, k.caught(t.wait.addr, to.sig))
	case t.blocked&b != 0 && to.shared:
		k.set(&k.pending, k.pending|b)
	case t.blocked&b != 0 || t == k.call.t:
		k.set(&t.sent, t.sent|b)
	case f == fateDeadly:
		o.Signal = int(to.sig)
	default:
		k.interrupt(t, to.sig, o)
	}
}

// deliver makes a thread that is about to return from a call take the signals
// that it doesn't block.
func (k *Kernel) deliver(t *thread, regs *emu.Regs, o *kernel.Outcome) {
	for {
		ready := (t.sent | k.pending) &^ t.blocked
		if ready == 0 {
			break
		}
		sig := uint64(bits.TrailingZeros64(ready)) + 1
		k.set(&t.sent, t.sent&^bit(sig))
		k.set(&k.pending, k.pending&^bit(sig))
		switch k.fate(sig) {
		case fateDeadly:
			o.Signal = int(sig)
			return
		case fateStop:
			o.Invalid = "a signal that stops the process is not modelled"
			return
		case fateHandled:
			if !k.enter(t, sig, regs, sent) {
				o.Signal = sigSegv
				return
			}
		}
	}
	if t.savedMaskIsWanted != 0 { // sigsuspend that no handler ended
		k.set(&t.savedMaskIsWanted, 0)
		k.set(&t.blocked, t.savedMask)
	}
}

// interrupt sends another thread into a handler.
func (k *Kernel) interrupt(t *thread, sig uint64, o *kernel.Outcome) {
	regs := *k.host.Regs(t.id)
	if t.wait.kind != awake {
		k.leaveSleep(t, sig, &regs)
		k.wakes = append(k.wakes, t.id)
	}
	if !k.enter(t, sig, &regs, sent) {
		o.Signal = sigSegv
		return
	}
	k.host.SetRegs(t.id, &regs)
}

// leaveSleep is the way out of an interrupted call: again, or with EINTR.
func (k *Kernel) leaveSleep(t *thread, sig uint64, regs *emu.Regs) {
	restart := false
	switch t.wait.kind {
	case waitFutex:
		restart = t.wait.deadline == noDeadline && k.actions[sig].flags&saRestart != 0
	case waitPI:
		restart = true
	}
	k.dequeue(t)
	regs.RAX = eintr
	if restart {
		k.again(t, regs)
	}
}

const syscallSize = 2

// Fault implements kernel.Kernel.
func (k *Kernel) Fault(id trace.TID, f emu.Fault, regs *emu.Regs) bool {
	t := k.threads[id]
	var sig uint64 = sigSegv
	switch f.Kind {
	case emu.FaultDivide:
		sig = sigFpe
	case emu.FaultIllegal:
		sig = sigIll
	case emu.FaultBreakpoint:
		sig = sigTrap
	}
	if k.fate(sig) != fateHandled || t.blocked&bit(sig) != 0 {
		return false
	}
	return k.enter(t, sig, regs, k.faultInfo(f, regs.RIP))
}

// pause and its kin sleep until a signal arrives.

func planSignalSleep(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpCancel, Obj: uint64(c.t.id)})
}

func doPause(c *call, o *kernel.Outcome) uint64 {
	c.sleep(o, waitSignals, 0, 0, noDeadline, trace.Op{Kind: trace.OpCancel, Obj: uint64(c.t.id)})
	return 0
}

func doSigsuspend(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if c.a[1] != 8 {
		return einval
	}
	if !k.canRead(c.a[0], 8) {
		return efault
	}
	k.set(&t.savedMask, t.blocked)
	k.set(&t.savedMaskIsWanted, 1)
	k.set(&t.blocked, k.m.Read64(c.a[0])&^unblockable)
	if (t.sent|k.pending)&^t.blocked != 0 {
		return eintr // Do delivers it
	}
	return doPause(c, o)
}

func memSigtimedwait(c *call) {
	c.touch(c.a[0], 8, 0)
	c.touch(c.a[1], siginfoSize, trace.Write)
	c.touch(c.a[2], 16, 0)
}

func doSigtimedwait(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	if c.a[3] != 8 {
		return einval
	}
	if !k.canRead(c.a[0], 8) {
		return efault
	}
	set := k.m.Read64(c.a[0]) &^ unblockable
	if ready := (t.sent | k.pending) & set; ready != 0 {
		sig := uint64(bits.TrailingZeros64(ready)) + 1
		k.set(&t.sent, t.sent&^bit(sig))
		k.set(&k.pending, k.pending&^bit(sig))
		return k.caught(c.a[1], sig)
	}
	deadline := uint64(noDeadline)
	if c.a[2] != 0 {
		ns, errno := k.timespec(c.a[2])
		if errno != 0 {
			return errno
		}
		if ns == 0 {
			return eagain
		}
		deadline = saturatingAdd(k.now(t), ns)
	}
	c.sleep(o, waitSignals, c.a[1], set, deadline, trace.Op{Kind: trace.OpCancel, Obj: uint64(t.id)})
	return 0
}

// caught is the result of a sigwait that got sig, with what it is told at addr
// if that isn't 0.
func (k *Kernel) caught(addr, sig uint64) uint64 {
	if addr == 0 {
		return sig
	}
	var b [siginfoSize]byte
	putInfo(b[:], sig, sent)
	if k.copyOut(addr, b[:]) != 0 {
		return efault
	}
	return sig
}
