package scheduler

import (
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// A step that is a load and the exchange behind it.

// hintedStep is the step of a thread that stands before a load before an exchange (hint.go).
func (s *System) hintedStep(th edit, tr *trace.Transition, c trace.Choice) error {
	r, at := th.hint, th.Access
	on, look := r.On[s.valueAt(&at)], lookOf(at.PC, hinted)
	leaves := func(left spins.Apart) { s.leftovers.leavesBytes(th, spins.LeftBy(look, left.Ranges())) }
	leaves(r.Left.Before)
	s.turning = on
	err := s.step(th, tr, c)
	s.turning = false
	switch {
	case err != nil:
		return err
	case !on:
		leaves(r.Left.Off)
		for i := range tr.Accesses {
			if !tr.Accesses[i].IsWrite() {
				tr.Accesses[i].Flags |= trace.FailedCAS
			}
		}
		s.leftovers.leavesRegs(th, r.Left.Regs, look)
		return nil
	case th.Stand != StandAccess || !th.Access.SameBytes(&at) || s.limit != 0 && th.Insns >= s.limit:
		return s.standAt(th, tr) // it was stopped on the way
	}
	leaves(r.Left.On)
	tr.Accesses, tr.Fences = tr.Accesses[:0], tr.Fences[:0]
	err = s.step(th, tr, c)
	leaves(r.Left.Behind)
	s.leftovers.leavesRegs(th, r.Left.Regs, look)
	return err
}

// poisedAtHint is the access of a thread that stands before such a load, as the search sees it.
func (s *System) poisedAtHint(th *thread) trace.Access {
	a, _ := s.machine.Poised(th.Ctx)
	if th.hint.On[s.valueAt(&a)] {
		a.Flags = trace.Write | trace.RMW | trace.Atomic
	} else if !a.IsWrite() {
		a.Flags |= trace.FailedCAS
	}
	return a
}
