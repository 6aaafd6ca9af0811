package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Steps that are several turns of a loop, or several values in turn.

// stepTurns is a step: that of all turns of a counted spin if the thread stands before one. All
// its looks found the same, and the last one is on record.
func (s *System) stepTurns(th edit, tr *trace.Transition, c trace.Choice) (err error) {
	if th.hint != nil && s.hints.joins {
		return s.hintedStep(th, tr, c)
	}
	at, leaving, regs := th.Access, th.leaving, th.leavingRegs
	for left := max(th.turns, 1); ; left-- {
		s.turning = left > 1
		if err = s.step(th, tr, c); !s.turning {
			s.counts.leaves(th, leaving)
			s.counts.keeps(th, regs, at.PC)
			return err
		}
		s.turning = false
		if err != nil || th.Stand != StandAccess || !th.Access.SameBytes(&at) || s.limit != 0 && th.Insns >= s.limit {
			if err == nil {
				err = s.standAt(th, tr)
			}
			return err // it was stopped on the way
		}
		tr.Accesses, tr.Fences, tr.Ops = tr.Accesses[:0], tr.Fences[:0], tr.Ops[:0]
	}
}

// hintedStep is the step of a thread that stands before a load before an exchange (hint.go).
func (s *System) hintedStep(th edit, tr *trace.Transition, c trace.Choice) error {
	r, at := th.hint, th.Access
	on, look := r.on[s.counts.valueAt(&at)], lookOf(at.PC, hinted)
	leaves := func(left spins.Apart) { s.counts.leaves(th, spins.LeftBy(look, left.Ranges())) }
	leaves(r.before)
	s.turning = on
	err := s.step(th, tr, c)
	s.turning = false
	switch {
	case err != nil:
		return err
	case !on:
		leaves(r.off)
		for i := range tr.Accesses {
			if !tr.Accesses[i].IsWrite() {
				tr.Accesses[i].Flags |= trace.FailedCAS
			}
		}
		s.counts.keeps(th, r.regs, look)
		return nil
	case th.Stand != StandAccess || !th.Access.SameBytes(&at) || s.limit != 0 && th.Insns >= s.limit:
		return s.standAt(th, tr) // it was stopped on the way
	}
	leaves(r.hintLeft.on)
	tr.Accesses, tr.Fences = tr.Accesses[:0], tr.Fences[:0]
	err = s.step(th, tr, c)
	leaves(r.behind)
	s.counts.keeps(th, r.regs, look)
	return err
}
