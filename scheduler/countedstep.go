package scheduler

import "landgo/internal/trace"

// A step that is several turns of a counted spin.

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
			s.leftovers.leavesBytes(th, leaving)
			s.leftovers.leavesRegs(th, regs, at.PC)
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
