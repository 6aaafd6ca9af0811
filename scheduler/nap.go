package scheduler

import (
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
	return p.Yield && p.Op.Kind == trace.OpSleep && (n.learning.known.Signalled.Has(uint64(th.ID)) || n.in.starts != nil) && !n.in.trusted(th) && !n.in.Alone(th.ID)
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
	n.falls(th, tr, left, at)
	return true
}

// falls has a thread fall asleep at a trap, as Nap says.
func (n *Naps) falls(th edit, tr *trace.Transition, left, at uint64) {
	th.Insns++
	th.napping, th.Yielding = true, true
	th.pending = trace.Op{Kind: trace.OpSleep, Obj: at, Arg: left, PC: th.Regs.RIP}
	tr.Did(trace.Op{Kind: trace.OpSleep, PC: th.Regs.RIP})
}

// EndNap ends a sleep of a thread whose handler has returned to it.
func (n *Naps) EndNap(t trace.TID, tr *trace.Transition, nap trace.Op) {
	th := n.in.edit(t)
	pc := th.Regs.RIP
	rest := n.in.kernel.(napper).EndNap(nap.Arg, nap.Obj, &th.Regs)
	th.Set = trace.AllRegs
	if len(rest) > 0 {
		n.sharing.Touch(th.ID, tr, pc, nap.Obj, uint32(len(rest)), trace.Write)
		n.in.machine.Write(nap.Obj, rest)
	}
}
