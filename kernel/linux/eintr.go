package linux

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// The effect of signals on calls that wait. The scheduler asks for most of it:
// a sleep is a mere yield here (time.go), and it has the thread stand in it
// (scheduler/nap.go).

// Restarts reports whether a signal's handler was installed with SA_RESTART.
func (k *Kernel) Restarts(sig uint64) bool {
	return sig < numSignals && k.signals.actions[sig].flags.Peek()&saRestart != 0
}

// OnSignalStack reports whether an address is on a thread's alternate stack.
func (k *Kernel) OnSignalStack(id trace.TID, sp uint64) bool {
	lo, size := k.roster.threads[id].altStack.Peek(), k.roster.threads[id].altSize.Peek()
	return size != 0 && sp > lo && sp-lo <= size
}

const (
	sysPoll           = 7
	sysSelect         = 23
	sysNanosleep      = 35
	sysClockNanosleep = 230
	sysPselect6       = 270
)

// Nap describes the sleep before which a thread stands: whether time passes in
// it. If a signal ends it, it has the rest in nanoseconds, and the place for
// that rest, if any. Its reads are touched.
func (k *Kernel) Nap(id trace.TID) (left, at uint64, ok bool) {
	r := k.host.Regs(id)
	k.log.Begin(id, r.RIP)
	c := call{k: k, t: k.roster.threads[id], nr: r.RAX, a: [6]uint64{r.RDI, r.RSI, r.RDX, r.R10, r.R8, r.R9}}
	var ns, errno uint64
	switch c.nr {
	case sysPoll:
		ns = uint64(max(c.int32(2), 0)) * 1_000_000
	case sysSelect:
		if !k.user.canRead(c.a[4], 16) {
			return 0, 0, false
		}
		ns = k.log.Read64(c.a[4])*second + k.log.Read64(c.a[4]+8)*1000
		at = c.restPlace()
	case sysNanosleep:
		ns, errno = k.user.timespec(c.a[0])
		at = c.a[1]
	case sysClockNanosleep:
		ns, errno = k.user.timespec(c.a[2])
		if c.a[1]&timerAbstime == 0 {
			at = c.a[3]
		} else if now := k.clock.now.Peek(); errno == 0 {
			ns = k.Realtime(c.a[0], ns)
			ns -= min(ns, now)
		}
	case sysPselect6:
		ns, errno = k.user.timespec(c.a[4])
		at = c.restPlace()
	case sysPpoll:
		ns, errno = k.user.timespec(c.a[2])
		at = c.restPlace()
	}
	if errno != 0 || ns == 0 {
		return 0, 0, false
	}
	return ns - 1, at, true // some time has passed
}

// Now and FallAsleep implement scheduler's napper.
func (k *Kernel) Now() (ns uint64, last bool) { return k.clock.now.Peek(), !k.cfg.TimeoutsAny }

// FallAsleep has the sleep of t that comes next have begun now.
func (k *Kernel) FallAsleep(id trace.TID, left uint64) (until uint64) {
	now := k.log.Get(&k.clock.now)
	k.log.Init(&k.roster.threads[id].asleep, now)
	return saturatingAdd(now, left+1)
}

// sleepsFrom is when the caller's sleep has begun.
func (c *call) sleepsFrom() uint64 {
	began := c.t.asleep.Peek()
	if began == 0 {
		return c.k.clock.now.Peek()
	}
	c.k.log.Init(&c.t.asleep, 0)
	return began
}

// EndNap implements scheduler's napper.
func (k *Kernel) EndNap(left, at uint64, regs *emu.Regs) (rest []byte) {
	regs.RIP += abi.SyscallSize
	unit := uint64(1)
	if regs.RAX == sysSelect {
		unit = 1000
	}
	regs.RAX, regs.RCX, regs.R11 = eintr, regs.RIP, regs.RFLAGS
	if at == 0 {
		return nil
	}
	if k.host.Machine.Prot(at)&emu.ProtWrite == 0 || k.host.Machine.Prot(at+abi.TimespecSize-1)&emu.ProtWrite == 0 {
		regs.RAX = efault
		return nil
	}
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, left/second), left%second/unit)
}

// endless reports whether a call of poll or select has no time at which it ends.
func (c *call) endless() bool {
	switch c.nr {
	case sysPoll:
		return c.int32(2) < 0
	case sysPpoll:
		return c.a[2] == 0
	}
	return c.a[4] == 0
}

// planRest is the plan of a poll or a select of no descriptors.
func planRest(c *call, p *kernel.Plan) {
	switch {
	case c.remasks(): // which is no mere yield (withMask)
		planSignalSleep(c, p)
		c.planTimed(p)
	case c.endless():
		planSignalSleep(c, p)
	default:
		planSleep(c, p)
	}
}
