package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// atOperation makes a thread stand before a trusted operation, or carries it
// out within this step where no other thread could tell the difference.
func (l *Library) atOperation(th edit, tr *trace.Transition, a *act) (scheduler.Verdict, error) {
	th.phase, th.badTime = phaseEntry, false
	if th.role == profile.ThreadExit {
		if on, err := l.endCache(th, th.arg(0)); on || err != nil {
			return scheduler.Pass, err
		}
	}
	if l.standsBefore(th) {
		return scheduler.Stay, nil
	}
	if over, v, err := l.setDeadline(th, tr, a); over {
		return v, err
	}
	a = &acts[th.role]
	if l.pointBefore(th.thread, a) {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	if !l.possible(th.thread) || l.outcomes(th.thread) > 1 {
		// Only the object's state ends the step here.
		th.Stand = scheduler.StandOp
		l.look(th.thread, tr)
		return scheduler.Stay, nil
	}
	return l.perform(th, tr, 0)
}

// pointBefore reports whether there is a preemption point before the operation,
// whatever state its object is in: that depends on the thread alone.
func (l *Library) pointBefore(th *thread, a *act) bool {
	if l.core.Undrained(th.ID) {
		l.contend(th, a)
		return true // its stores come first
	}
	switch th.role {
	case profile.ThreadExit:
		return l.core.Ends.IsStep(th.ID)
	case profile.Yield:
		return false // order, no race
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin:
		// Order, no race either. But where a step ends must depend on the
		// thread alone, or equal traces would be cut into unequal steps: a
		// second join may be possible already, or not yet.
		if th.role == profile.TryJoin || l.opts.AnyTimeout && th.timed {
			l.core.Signals.SeeLife()
		}
		return !l.core.Alone(th.ID)
	}
	if l.core.Alone(th.ID) {
		return false
	}
	l.contend(th, a)
	if l.core.EveryOperation() {
		return !(a.op == trace.OpUnlock && l.merges(th.arg(0))) && l.core.Points.Allowed(th.ID, l.callSite(th))
	}
	return (l.cfg.Points&a.point != 0 || l.core.Racing(l.callSite(th)-1)) && l.core.Points.Allowed(th.ID, l.callSite(th))
}

// StepOp implements scheduler.Calls: it carries out the operation and lets the thread run on.
func (l *Library) StepOp(t trace.TID, tr *trace.Transition, c trace.Choice) error {
	th := l.edit(t)
	l.begins = true
	err := l.operate(th, tr, c)
	l.begins = false
	return err
}

func (l *Library) operate(th edit, tr *trace.Transition, c trace.Choice) error {
	if th.phase == phaseTaken || th.phase == phaseGiven {
		if v, err := l.stepPool(th, tr); err != nil || v == scheduler.Stay {
			return err
		}
		return l.advance(th.thread, tr, 0)
	}
	if th.phase == phaseFault {
		v, err := l.stepFault(th, tr, c)
		if err != nil || v == scheduler.Stay {
			return err
		}
		if v == scheduler.Step { // it has met the breakpoint
			th.Stand = scheduler.StandOp
		}
		return l.advance(th.thread, tr, uint32(trace.Bit(v == scheduler.PassAllow)))
	}
	if th.phase == phaseTouch || th.phase == phaseNames {
		v, err := l.stepTouch(th, tr)
		if err != nil || v == scheduler.Stay {
			return err
		}
		th.Stand = scheduler.StandOp // it has met the breakpoint
		return l.advance(th.thread, tr, uint32(trace.Bit(v == scheduler.PassAllow)))
	}
	if th.role == profile.CallEnds {
		if v, err := l.properties.endCall(th, tr); err != nil || v == scheduler.Stay {
			return err
		}
		return l.advance(th.thread, tr, 0)
	}
	if th.role == profile.Eventually {
		if err := l.properties.eventually(th); err != nil {
			return err
		}
		return l.advance(th.thread, tr, 0)
	}
	if l.carried.carries(th.role) {
		return l.carried.step(th, tr)
	}
	if l.isQuiet(th.role) {
		return l.stepCall(th, tr)
	}
	if endsProcess(th.role) {
		return l.core.Traps.ExitProcess(th.ID, tr, int(int32(th.arg(0))))
	}
	var v scheduler.Verdict
	var err error
	if th.role == profile.ThreadExit {
		th.Insns++ // schedules name the states on both sides
	}
	if th.phase == phaseEnd {
		_, err := l.lives.endThread(th, tr, th.result)
		return err
	}
	if acts[th.role].how == allocator && l.cfg.OwnAllocator {
		tr.Loose = true
		v, err = l.follow(th, tr)
	} else if acts[th.role].how == allocator {
		v, err = l.performHeap(th, tr)
	} else if th.phase == phaseOver {
		v, err = l.returnsLate(th, tr)
	} else if l.possible(th.thread) {
		v, err = l.perform(th, tr, c)
	} else {
		v, err = l.timeOut(th, tr, c)
	}
	if err != nil || v == scheduler.Stay {
		return err
	}
	allow := uint32(0)
	if v == scheduler.PassAllow {
		allow = 1
	}
	return l.advance(th.thread, tr, allow)
}

// stepTouch begins such a call. It may stop at its operation, in the same
// instruction: to a schedule that is half of it.
func (l *Library) stepTouch(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase, l.begins, tr.Loose = phaseEntry, true, true
	at := th.Insns
	v, err := l.atBreak(th, l.breaks[th.Regs.RIP], tr)
	if l.begins = false; v == scheduler.Stay && err == nil && th.Stand == scheduler.StandOp && th.Insns == at {
		th.Half = 1
	}
	return v, err
}
