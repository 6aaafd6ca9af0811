package steer

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// execution runs the processor for a turn, and does what its stops ask for: privileged
// instructions, ports, faults, the way to user mode and back.
type execution struct {
	in          *situation
	core        core
	step        *stepping
	proc        *processor
	tails       *tails
	beliefs     *beliefs
	switches    *switches
	calls       *calls
	annotations *annotations
	ticker      *ticker
	failOwn     func(*thread, *trace.Transition, *scheduler.Failure)
	end         func(*trace.Transition, trace.End)
	tryOut      func(func())
	// portValue is the value that the next permitted instruction reads from a port.
	portValue uint32
	polled    uint64 // instructions since stopIf was asked
}

// did counts an instruction that landgo has carried out.
func (ex *execution) did(u *turn) {
	u.begun = true
	if !u.ticking {
		ex.core.edit(u.th.ID).Insns++
	}
}

// saw takes the registers of the thread that runs, for its stack.
func (ex *execution) saw(u *turn) {
	if u.ticking {
		return
	}
	ex.core.edit(u.th.ID).Regs = ex.proc.regsNow()
}

// turnedOn: interrupts have come on.
func (ex *execution) turnedOn(u *turn) (happening, error) {
	ex.in.interrupts(u, true)
	if ex.in.stepsGap() {
		return atOn, ex.switches.openGap(u)
	}
	if ex.in.profile != nil && ex.in.booted.Get() && !u.ticking {
		return atOn, ex.beliefs.turnedOnOwn(u)
	}
	return atOn, nil
}

// untreated is the bug of an exception that a thread was treating when it reached its
// end; nil: none was. One whose handler was left in another way than by a return
// doesn't count.
func (ex *execution) untreated(th *thread) *scheduler.Failure {
	if len(th.own.Exceptions) == 0 {
		return nil
	}
	x, sp := &th.own.Exceptions[0], th.Regs.RSP
	if uint64(th.ID) == ex.in.running.Get() {
		sp = ex.proc.regsNow().RSP
	}
	if sp > x.SP && sp-x.SP < 1<<16 {
		return nil
	}
	return &scheduler.Failure{Kind: x.Kind, Thread: th.ID, PC: x.Regs.RIP, Message: x.Text}
}
