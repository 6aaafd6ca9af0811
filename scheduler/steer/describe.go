package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Threads and operations of a kernel, in words for reports.

// StateText says why a thread doesn't go on by itself.
func (k *Kernel) StateText(t trace.TID) string {
	th := &k.threads[t]
	switch {
	case th.Stand == scheduler.StandExited:
		return "ended"
	case th.own.Halted:
		return "waits for an interrupt"
	case th.Stand == scheduler.StandSpin:
		return "runs in a loop"
	case th.own.State == ownSleeping:
		return "sleeps"
	case th.own.State == ownBlocked:
		w := k.waitOf(th)
		return "waits for " + w.String()
	case th.own.Tail:
		return "gives way"
	case th.Yielding:
		return "runs in a loop"
	}
	return "stops"
}

// NextText says what a thread's next step begins with.
func (k *Kernel) NextText(t trace.TID) string {
	th := &k.threads[t]
	if th.Stand == scheduler.StandAccess || th.Stand == scheduler.StandFailure {
		return k.System.NextText(t)
	}
	switch code := k.code(th.Regs.RIP); {
	case len(code) > 0 && code[0] == 0xfa:
		return "turns interrupts off"
	case k.acquires(th.Regs.RIP) && th.own.Wants != 0:
		return "acquires " + k.VariableName(th.own.Wants)
	}
	return ""
}

// acquires reports whether a thread that stands at pc is about to acquire something.
func (k *fixed) acquires(pc uint64) bool {
	kind, tells := k.tells[pc]
	b, named := k.named[pc]
	return tells && kind == tellLocking || named && scheduler.PointsAt(b.Role)&trace.PointLock != 0
}

// Starts lists the threads of the present state, but for the idle one.
func (k *Kernel) Starts() (out []scheduler.Start) {
	for _, x := range k.System.Starts() {
		if !k.threads[x.Thread].own.Idle {
			out = append(out, x)
		}
	}
	return out
}

// OpText puts an operation into words.
func (k *Kernel) OpText(op trace.Op) string {
	switch op.Kind {
	case trace.OpSyscall, trace.OpInterruptsOff, trace.OpInterruptsOn:
		return ""
	}
	return k.System.OpText(op)
}

// PC is the instruction at which a thread stands.
func (k *Kernel) PC(t trace.TID) uint64 { return k.threads[t].Regs.RIP }

// pc is PC, for the parts.
func (k *situation) pc(t trace.TID) uint64 { return k.threads[t].Regs.RIP }

// waitOf says what a blocked thread waits for, as far as it said so itself.
func (k *Kernel) waitOf(th *thread) scheduler.Wait {
	w := scheduler.Wait{Thread: th.ID, Owner: trace.NoThread, For: "being woken", Name: "by another thread"}
	switch {
	case th.Stand == scheduler.StandSpin:
		w.For, w.Name, w.Spins, w.Reads = "a change of", "the memory that its loop reads", true, th.Waits
	case th.own.State == ownReady:
		w.For, w.Name = "the processor:", "it is ready, and no tick brings it there"
	case th.own.State == ownSleeping:
		w.For, w.Name = "time to pass:", "no tick of the timer wakes it"
	case k.hasChannel() && !k.calls.inLock(th):
		c := k.channelOf(th)
		w.For, w.Obj, w.Name = "being woken on", c, k.channelName(c)
	case th.own.Wants != 0 && (k.profile == nil || k.calls.inLock(th)):
		w.For, w.Obj, w.Name = "the object", th.own.Wants, k.VariableName(th.own.Wants)
	}
	return w
}
