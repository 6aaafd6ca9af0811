package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// atOperation makes a thread stand before a trusted operation, or carries it
// out within this step where no other thread could tell the difference.
func (s *Library) atOperation(th edit, tr *trace.Transition, a *act) (scheduler.Verdict, error) {
	th.phase, th.badTime = phaseEntry, false
	if th.role == profile.ThreadExit {
		if on, err := s.endCache(th, th.arg(0)); on || err != nil {
			return scheduler.Pass, err
		}
	}
	if s.standsBefore(th) {
		return scheduler.Stay, nil
	}
	if over, v, err := s.setDeadline(th, tr, a); over {
		return v, err
	}
	a = &acts[th.role]
	if s.pointBefore(th.thread, a) {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	if !s.possible(th.thread) || s.outcomes(th.thread) > 1 {
		// Only the object's state ends the step here.
		th.Stand = scheduler.StandOp
		s.look(th.thread, tr)
		return scheduler.Stay, nil
	}
	return s.perform(th, tr, 0)
}

// pointBefore reports whether there is a preemption point before the operation,
// whatever state its object is in: that depends on the thread alone.
func (s *Library) pointBefore(th *thread, a *act) bool {
	if s.core.Undrained(th.ID) {
		s.contend(th, a)
		return true // its stores come first
	}
	switch th.role {
	case profile.ThreadExit:
		return s.core.Ends.IsStep(th.ID)
	case profile.Yield:
		return false // order, no race
	case profile.Join, profile.TryJoin, profile.TimedJoin, profile.ClockJoin:
		// Order, no race either. But where a step ends must depend on the
		// thread alone, or equal traces would be cut into unequal steps: a
		// second join may be possible already, or not yet.
		if th.role == profile.TryJoin || s.opts.AnyTimeout && th.timed {
			s.core.Signals.SeeLife()
		}
		return !s.core.Alone(th.ID)
	}
	if s.core.Alone(th.ID) {
		return false
	}
	s.contend(th, a)
	if s.core.EveryOperation() {
		return !(a.op == trace.OpUnlock && s.merges(th.arg(0))) && s.core.Points.Allowed(th.ID, s.callSite(th))
	}
	return (s.cfg.Points&a.point != 0 || s.core.Racing(s.callSite(th)-1)) && s.core.Points.Allowed(th.ID, s.callSite(th))
}

// StepOp implements scheduler.Calls: it carries out the operation and lets the thread run on.
func (s *Library) StepOp(t trace.TID, tr *trace.Transition, c trace.Choice) error {
	th := s.edit(t)
	s.begins = true
	err := s.operate(th, tr, c)
	s.begins = false
	return err
}

func (s *Library) operate(th edit, tr *trace.Transition, c trace.Choice) error {
	if th.phase == phaseTaken || th.phase == phaseGiven {
		if v, err := s.stepPool(th, tr); err != nil || v == scheduler.Stay {
			return err
		}
		return s.advance(th.thread, tr, 0)
	}
	if th.phase == phaseFault {
		v, err := s.stepFault(th, tr, c)
		if err != nil || v == scheduler.Stay {
			return err
		}
		if v == scheduler.Step { // it has met the breakpoint
			th.Stand = scheduler.StandOp
		}
		return s.advance(th.thread, tr, uint32(trace.Bit(v == scheduler.PassAllow)))
	}
	if th.phase == phaseTouch || th.phase == phaseNames {
		v, err := s.stepTouch(th, tr)
		if err != nil || v == scheduler.Stay {
			return err
		}
		th.Stand = scheduler.StandOp // it has met the breakpoint
		return s.advance(th.thread, tr, uint32(trace.Bit(v == scheduler.PassAllow)))
	}
	if th.role == profile.CallEnds {
		if v, err := s.properties.endCall(th, tr); err != nil || v == scheduler.Stay {
			return err
		}
		return s.advance(th.thread, tr, 0)
	}
	if s.carried.carries(th.role) {
		return s.carried.step(th, tr)
	}
	if s.isQuiet(th.role) {
		return s.stepCall(th, tr)
	}
	if endsProcess(th.role) {
		return s.core.Traps.ExitProcess(th.ID, tr, int(int32(th.arg(0))))
	}
	var v scheduler.Verdict
	var err error
	if th.role == profile.ThreadExit {
		th.Insns++ // schedules name the states on both sides
	}
	if th.phase == phaseEnd {
		_, err := s.lives.endThread(th, tr, th.result)
		return err
	}
	if acts[th.role].how == allocator && s.cfg.NativeMalloc {
		tr.Loose = true
		v, err = s.follow(th, tr)
	} else if acts[th.role].how == allocator {
		v, err = s.performHeap(th, tr)
	} else if s.possible(th.thread) {
		v, err = s.perform(th, tr, c)
	} else {
		v, err = s.timeOut(th, tr)
	}
	if err != nil || v == scheduler.Stay {
		return err
	}
	allow := uint32(0)
	if v == scheduler.PassAllow {
		allow = 1
	}
	return s.advance(th.thread, tr, allow)
}

// stepTouch begins such a call. It may stop at its operation, in the same
// instruction: to a schedule that is half of it.
func (s *Library) stepTouch(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase, s.begins, tr.Loose = phaseEntry, true, true
	at := th.Insns
	v, err := s.atBreak(th, s.breaks[th.Regs.RIP], tr)
	if s.begins = false; v == scheduler.Stay && err == nil && th.Stand == scheduler.StandOp && th.Insns == at {
		th.Half = 1
	}
	return v, err
}
