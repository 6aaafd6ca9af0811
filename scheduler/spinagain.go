package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Memory below a stack pointer is dead, as a rule: the next call overwrites it. So a
// turn of a loop may leave other bytes there than it found, and be a turn all the
// same. They are those of its first calls instead of those before. But a stack may lie
// in a block of the heap, in a static array, in another thread's memory or in an array
// on the very stack. Then live variables may lie below it. Addresses can't tell
// the two apart. So where only such bytes differ, the turn is run once more, and
// taken back: it has to do the same, and to leave every byte as it was. Then the state
// recurs in all, whatever is dead.

// runAgain reports whether the steps in was, run once more from where a thread stands,
// bring it back there, and takes them back. The transition of the step under way is of.
func (s *finder) runAgain(th *thread, of *trace.Transition, was []*trace.Transition) bool {
	s.in.arena.Seal(of)
	var same bool
	s.trials.probe(th, func(th edit) { same = s.again(th, was) })
	return same
}

// again runs a thread, which may be in a spin, for as many steps as there are in was.
// It reports whether they do the same as those, and bring it back to where it stood
// with no byte changed.
func (s *finder) again(th edit, was []*trace.Transition) bool {
	before, pc, mem := *th.thread, s.in.standPC(th.thread), s.in.machine.Journal()
	for _, w := range was {
		var d trace.Thread
		if s.runs.describe(th.thread, &d); d.Status != trace.Ready || d.Outcomes > 1 {
			return false
		}
		tr := s.in.arena.Transition(th.ID, 0)
		tr.Begin = th.Insns
		if err := s.runs.step(th, tr, 0); err != nil || tr.End != trace.EndPoint || !s.still(tr) || !spins.SameSteps(tr, w) {
			return false // an error will come up when the thread is really run
		}
		s.in.arena.Seal(tr)
	}
	return th.Stand == before.Stand && th.Half == before.Half && th.Effects == before.Effects && s.in.standPC(th.thread) == pc &&
		th.Set == before.Set && (th.Set == 0 || th.Regs == before.Regs) &&
		(th.Stand != StandAccess || sameAccess(&th.Access, &before.Access)) &&
		s.sameLive(th.thread, before.Ctx) && s.unchanged(mem, emu.Range{})
}

// stepsSince are the thread's own steps of the present path from index i on.
func (s *finder) stepsSince(th *thread, i int32) (list []*trace.Transition) {
	for ; int(i) < len(s.in.steps); i++ {
		if tr := s.in.steps[i].tr; tr.Thread == th.ID {
			list = append(list, tr)
		}
	}
	return list
}

// comesRound runs a thread that stands at an access for a step.
func (s *finder) comesRound(th edit) (r round, tr *trace.Transition) {
	before, mem, logged := *th.thread, s.in.machine.Journal(), s.in.machine.Logged()
	tr = s.in.arena.Transition(th.ID, 0)
	if err := s.runs.step(th, tr, 0); err != nil {
		return goesOn, tr // it will come up when the thread is really run
	}
	recurs := th.Stand == StandAccess && sameAccess(&th.Access, &before.Access) && th.Half == before.Half && th.Effects == before.Effects &&
		s.calm(tr) && tr.End == trace.EndPoint &&
		s.sameLive(th.thread, before.Ctx) && s.unchanged(mem, s.redZone(th.thread))
	single := len(tr.Accesses) == 1 && tr.Accesses[0].SameBytes(&before.Access)
	if recurs && !s.unchanged(mem, emu.Range{}) {
		s.in.arena.Seal(tr)
		recurs = s.again(th, []*trace.Transition{tr})
	}
	switch {
	case !recurs && single && th.Stand == StandAccess && th.Access.SameBytes(&before.Access):
		return looksOn, tr
	case !recurs:
		return goesOn, tr
	case single && len(tr.Ops) == 0:
		return onlyLooks, tr
	case single && spins.OnlyRests(tr.Ops) && s.in.hasClock() && s.in.onlySlept(logged):
		return looksRests, tr
	}
	return comesBack, tr
}
