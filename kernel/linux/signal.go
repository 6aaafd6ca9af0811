package linux

import (
	"encoding/binary"
	"math/bits"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Signals, as thread programs use them: cancellation (both libcs send a
// real-time signal), raise and abort, handlers reached by raise, pthread_kill
// and faults, masks, sigsuspend and sigwait.
//
// A signal to another thread, or to the process, arrives some time after it was sent (arrival.go).
// Where signals come at once, the target goes on in the handler from wherever it
// stands. One that sleeps in a call tries that once more when it goes on (lasttry.go). So the step
// in which a signal comes (OpCancel with the target as object) depends on every step of that thread,
// and the handler's memory is shared (scheduler/interrupt.go). A signal that the target blocks
// waits until it unblocks it.
//
// The values of signals, and pending signals, are in sigqueue.go.

const (
	numSignals = 65

	sigIll  = 4
	sigTrap = 5
	sigAbrt = 6
	sigBus  = 7
	sigFpe  = 8
	sigKill = 9
	sigSegv = 11
	sigPipe = 13
	sigChld = 17
	sigCont = 18
	sigStop = 19
	sigTstp = 20
	sigTtin = 21
	sigTtou = 22
	sigUrg  = 23
	sigWnch = 28
	sigSys  = 31

	sigDefault = 0 // SIG_DFL
	sigIgnore  = 1 // SIG_IGN

	// ofFaults are SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV and SIGSYS.
	ofFaults = 1<<(sigIll-1) | 1<<(sigTrap-1) | 1<<(sigBus-1) | 1<<(sigFpe-1) | 1<<(sigSegv-1) | 1<<(sigSys-1)

	saSiginfo   = 0x4
	saRestorer  = 0x04000000
	saOnstack   = 0x08000000
	saRestart   = 0x10000000
	saNodefer   = 0x40000000
	saKnown     = 0xdc000807 // Linux takes the others away
	saResethand = 0x80000000

	firstRealTime = 32
)

// action is a signal's action: a state of the process.
type action struct{ handler, flags, restorer, mask effect.Word }

func newAction(sig uint64) action {
	w := effect.At(wordActions+effect.Step*sig, 0)
	return action{w, w, w, w}
}

func bit(sig uint64) uint64 { return 1 << (sig - 1) }

// unblockable signals.
var unblockable = bit(sigKill) | bit(sigStop)

// fate is a signal's effect on a thread that doesn't block it.
type fate uint8

const (
	fateIgnored fate = iota
	fateHandled
	fateDeadly
	fateStop
)

// signals are those of the process: their actions, which wait for threads to take them, the
// handlers that run, and timers that send some.
type signals struct {
	now *doing
	log *effect.Log
	img *elffile.File
	// anywhere: threads may let themselves be cancelled between any two instructions.
	anywhere bool
	user     *user
	roster   *roster
	queues   *queues
	objects  *objects

	actions  [numSignals]action
	pending  effect.Word // signals sent to the process that no thread has taken
	backlog  *backlog    // of them: what they carry
	handlers frames

	alarms   []*alarm    // timers that send signals; grows only
	alarming effect.Flag // one of them was set
	serial   effect.Word // how many handlers threads have entered, once that is

	takersList []*thread // scratch, so that calls make no garbage (kill.go)
}

// ignores reports whether signals that have an action are dropped.
func ignores(sig, action uint64) bool {
	return action == sigIgnore || action == sigDefault && (sig == sigChld || sig == sigCont || sig == sigUrg || sig == sigWnch)
}

func (s *signals) fate(sig uint64) fate {
	switch action := s.log.Get(&s.actions[sig].handler); {
	case ignores(sig, action):
		return fateIgnored
	case action == sigDefault:
		switch sig {
		case sigStop, sigTstp, sigTtin, sigTtou:
			return fateStop
		}
		return fateDeadly
	}
	return fateHandled
}

// Handles reports whether the guest has a handler for a signal.
func (k *Kernel) Handles(signal int) bool {
	return signal > 0 && signal < numSignals && k.signals.actions[signal].handler.Peek() > sigIgnore
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

// planSigaction: dispositions are shared by all threads, so changing one is an
// event, but not for libc's own, which are set once before they matter.
func planSigaction(c *call, p *kernel.Plan) {
	if sig := c.a[0]; sig >= numSignals || kernel.IsLibrarys(c.k.img.Libc(), sig) {
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
	a := &k.signals.actions[sig]
	old := binary.LittleEndian.AppendUint64(append(pair(c.get(&a.handler), c.get(&a.flags)), pair(c.get(&a.restorer), c.get(&a.mask))...), 0)[:32]
	if c.a[1] != 0 {
		if !k.user.canRead(c.a[1], 32) {
			return efault
		}
		c.set(&a.handler, k.log.Read64(c.a[1]))
		c.set(&a.flags, k.log.Read64(c.a[1]+8)&saKnown)
		c.set(&a.restorer, k.log.Read64(c.a[1]+16))
		c.set(&a.mask, k.log.Read64(c.a[1]+24)&^unblockable)
		if k.signals.fate(sig) == fateIgnored {
			k.signals.discard(sig)
		}
	}
	c.op(onResource(resourceActions, 1))
	if c.a[2] != 0 {
		return k.user.copyOut(c.a[2], old)
	}
	return 0
}

// newMask is the mask that rt_sigprocmask asks for.
func (c *call) newMask() (mask, errno uint64) {
	old := c.get(&c.t.blocked)
	if c.a[3] != 8 {
		return old, einval
	}
	if c.a[1] == 0 {
		return old, 0
	}
	if !c.k.user.canRead(c.a[1], 8) {
		return old, efault
	}
	set := c.k.log.Read64(c.a[1]) &^ unblockable
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
	p.Unmasks = c.get(&c.t.blocked)&^mask != 0
	c.planMask(p, mask)
}

// planMask is the plan of a call that sets the caller's mask: local, unless a
// signal has been waiting for it that ends the process.
func (c *call) planMask(p *kernel.Plan, mask uint64) {
	for ready := (c.get(&c.t.sent) | c.get(&c.k.signals.pending)) &^ mask; ready != 0; ready &= ready - 1 {
		if c.k.signals.fate(uint64(bits.TrailingZeros64(ready))+1) == fateDeadly {
			c.event(p, trace.Op{Kind: trace.OpEnd})
		}
	}
}

func doSigprocmask(c *call, o *kernel.Outcome) uint64 {
	old := c.get(&c.t.blocked)
	mask, errno := c.newMask()
	if errno != 0 {
		return errno
	}
	c.remask(mask)
	if c.a[2] != 0 {
		return c.k.user.copyOut(c.a[2], pair(old, 0)[:8])
	}
	return 0
}

// remask sets the caller's mask. It looks at its signals then, unless the mask stays as it is.
func (c *call) remask(mask uint64) {
	s := &c.k.signals
	was, looks := c.get(&c.t.blocked), s.looks(c.t)
	if mask == was {
		return
	}
	c.set(&c.t.blocked, mask)
	c.unmasks = true
	if looks {
		s.retarget(c.t, mask&^was)
	}
}

// A signal to the process is pending also while it is on its way to another thread.

func doSigpending(c *call, o *kernel.Outcome) uint64 {
	if c.a[1] > 8 {
		return einval
	}
	sent := (c.get(&c.t.sent) | c.get(&c.k.signals.pending)) & c.get(&c.t.blocked)
	return c.k.user.copyOut(c.a[0], pair(sent, 0)[:c.a[1]])
}

func doSigaltstack(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	var old [24]byte
	binary.LittleEndian.PutUint64(old[0:], c.get(&t.altStack))
	binary.LittleEndian.PutUint64(old[16:], c.get(&t.altSize))
	switch {
	case c.get(&t.altSize) == 0:
		old[8] = ssDisable
	case k.signals.onAltStack(t, c.regs.RSP):
		old[8] = ssOnstack
	}
	if c.a[0] != 0 {
		if !k.user.canRead(c.a[0], 24) {
			return efault
		}
		sp, flags, size := k.log.Read64(c.a[0]), uint64(k.log.Read32(c.a[0]+8)), k.log.Read64(c.a[0]+16)
		switch {
		case k.signals.onAltStack(t, c.regs.RSP):
			return eperm
		case flags&^ssAutodisarm == ssDisable:
			sp, size = 0, 0
		case flags&^ssAutodisarm > ssOnstack:
			return einval
		case flags&ssAutodisarm != 0:
			o.Gap, o.Invalid = kernel.GapCall, "sigaltstack with SS_AUTODISARM is not modelled"
			return 0
		case size < minSigstksz:
			return enomem
		}
		c.set(&t.altStack, sp)
		c.set(&t.altSize, size)
	}
	if c.a[1] != 0 {
		return k.user.copyOut(c.a[1], old[:])
	}
	return 0
}

const (
	ssOnstack    = 1
	ssDisable    = 2
	ssAutodisarm = 1 << 31
	minSigstksz  = 2048
)

func (s *signals) onAltStack(t *thread, sp uint64) bool {
	lo, size := s.log.Get(&t.altStack), s.log.Get(&t.altSize)
	return size != 0 && sp > lo && sp-lo <= size
}

// Fault implements kernel.Kernel.
func (k *Kernel) Fault(id trace.TID, f emu.Fault, regs *emu.Regs) bool {
	t := k.roster.threads[id]
	k.log.Begin(id, regs.RIP)
	k.outcome = kernel.Outcome{} // no call is under way, and none has just restored the CPU
	var sig uint64 = sigSegv
	switch f.Kind {
	case emu.FaultDivide:
		sig = sigFpe
	case emu.FaultIllegal:
		sig = sigIll
	case emu.FaultBreakpoint:
		sig = sigTrap
	case emu.FaultRead, emu.FaultWrite, emu.FaultFetch:
		if k.space.pastEnd(f.Addr) || k.signals.stackFault(f, regs) {
			sig = sigBus
		}
	}
	if k.signals.fate(sig) != fateHandled || k.log.Get(&t.blocked)&bit(sig) != 0 {
		return false
	}
	at := regs.RIP
	i := k.signals.faultInfo(f, at, sig)
	if f.Kind == emu.FaultBreakpoint { // a trap: the handler goes back to what comes after it
		inst, _, _ := x86.Decode(k.img.Bytes(at, x86.MaxInst), k.img.Machine)
		regs.RIP += uint64(max(inst.Len, 1))
		if code := k.img.Bytes(regs.RIP-1, 1); len(code) > 0 && code[0] == int1 {
			i.code, i.addr, i.trapno = trapBrkpt, regs.RIP, abi.DebugException
		}
	}
	if !k.signals.enter(t, sig, regs, i) {
		regs.RIP = at
		return false
	}
	return true
}
