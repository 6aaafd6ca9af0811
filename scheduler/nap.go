package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A sleep may end at any time, and nothing is done in it: for the search it is a
// yield. A signal can tell: a handler that runs during a sleep ends it with EINTR
// and what is left of its time, one that runs before it doesn't. So a thread that
// others send signals to stands before its sleeps, and in them. No SA_RESTART has
// them start again.
//
// In it, the thread stands at the trap; the kernel carries the sleep
// out as a whole when the thread goes on. To fall asleep counts as the instruction,
// to wake as none: so a schedule means the same whether these are known to be steps.

// napper is a kernel with sleeps that a signal ends.
type napper interface {
	// Nap says of the sleep at which a thread stands whether time passes in it, how
	// much is left when a signal ends it, and where that is written.
	Nap(t trace.TID) (left, at uint64, ok bool)
}

// Naps are sleeps within a step.
type Naps struct {
	in       *present
	sharing  *Sharing
	learning *learning
}

// naps reports whether a trap is a sleep of a thread to which signals may come. A
// sleep in a schedule that is followed counts too, because that run may have known
// of signals.
func (n *Naps) naps(th *thread, p *kernel.Plan) bool {
	return p.Yield && p.Op.Kind == trace.OpSleep && (n.learning.known.Signalled[uint64(th.ID)] || n.in.starts != nil) && !n.in.trusted(th) && !n.in.Alone(th.ID)
}

// nap has a thread fall asleep at the trap before which it stands, if it sleeps
// there: p is the trap's plan. It reports whether it does.
func (n *Naps) nap(th edit, tr *trace.Transition, p *kernel.Plan) bool {
	if th.napping || !n.naps(th.thread, p) {
		return false
	}
	k, ok := n.in.kernel.(napper)
	if !ok {
		return false
	}
	left, at, ok := k.Nap(th.ID)
	n.sharing.takeTouched(th.thread, tr, th.Regs.RIP)
	if !ok {
		return false
	}
	th.Insns++
	th.napping, th.Yielding = true, true
	th.pending = trace.Op{Kind: trace.OpSleep, Obj: at, Arg: left, PC: th.Regs.RIP}
	tr.Did(trace.Op{Kind: trace.OpSleep, PC: th.Regs.RIP})
	return true
}

// EndNap ends a sleep of a thread whose handler has returned to it.
func (n *Naps) EndNap(t trace.TID, tr *trace.Transition, nap trace.Op) {
	th := n.in.edit(t)
	const syscall, timespecSize, eintr = 2, 16, 4
	r := &th.Regs
	pc := r.RIP
	r.RIP += syscall
	r.RAX, r.RCX, r.R11 = uint64(1<<64-eintr), r.RIP, r.RFLAGS
	th.Set = trace.AllRegs
	at, left := nap.Obj, nap.Arg
	if at == 0 {
		return
	}
	if n.in.machine.Prot(at)&emu.ProtWrite == 0 || n.in.machine.Prot(at+timespecSize-1)&emu.ProtWrite == 0 {
		const efault = 14
		r.RAX = uint64(1<<64 - efault)
		return
	}
	n.sharing.Touch(th.ID, tr, pc, at, timespecSize, trace.Write)
	n.in.machine.Write64(at, left/1e9)
	n.in.machine.Write64(at+8, left%1e9)
}
