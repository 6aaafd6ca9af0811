package scheduler

import "landgo/internal/trace"

// maxSteps is the longest execution, in steps: beyond it a guest is taken to
// run for ever without an exact spin (a loop that counts, or backs off).
const maxSteps = 200_000

// stepAlone takes a step of this System alone: all that a step is beside what its thread does (step, dispatch.go).
func (s *System) stepAlone(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	if s.isBuffer(t) {
		return s.update(t)
	}
	if s.cfg.Fill != nil {
		s.machine.ResetPath()
	}
	if len(s.steps) >= maxSteps {
		s.longest.noteLong()
		return nil, &BudgetError{Steps: len(s.steps), Thread: t, PC: s.PC(t)}
	}
	planned := s.planHolds(&s.threads[t])
	th := s.edit(t)
	s.trySides(th)
	s.backs.watch(th)
	if planned && th.buffer.Empty() { // else it may find other bytes
		s.keepPlan(th.thread)
	}
	tr := s.arena.Transition(t, c)
	tr.Begin = th.Insns
	before := s.machine.Journal()
	if s.cfg.Buffers {
		s.buffers.moves(func() { s.buffers.apply(th) })
		s.buffers.beginsAt(th, tr)
	}
	info := stepInfo{tr: tr, ctx: th.Ctx, before: before, journal: s.machine.Journal(), pc: s.standPC(th.thread), prev: th.LastStep, effects: th.Effects, insns: th.Insns, half: th.Half}
	info.tried = s.backs.tries(th.thread)
	if th.Set != 0 {
		s.stepRegs = append(s.stepRegs, th.Regs)
		info.set, info.regs = th.Set, int32(len(s.stepRegs))
	}
	if th.LastStep != 0 {
		info.nth = s.steps[th.LastStep-1].nth + 1
	}
	s.stepped++
	info.number = s.stepped
	s.steps = append(s.steps, info)
	alone, promises := s.Alone(th.ID), len(s.promises)
	th.LastStep = int32(len(s.steps))
	over, err := s.Traps.lastTry(th, tr)
	if err == nil && !over {
		err = s.stepTurns(th, tr, c)
	}
	if s.known.Signalled.Has(uint64(t)) {
		tr.Did(trace.Op{Kind: trace.OpTurn, Obj: uint64(t)})
		tr.Loose = true // before a signal, or after it, the step is another one
	}
	if err == nil && s.cfg.Buffers {
		s.steps[len(s.steps)-1].end = s.machine.Journal()
		s.buffers.moves(func() { s.buffers.takeBack(th) })
		s.buffers.touches(tr)
		s.buffers.notesStorers(tr)
	}
	if err == nil {
		if th.left != 0 && (!th.Live() || tr.End == trace.EndProcess) {
			s.Signals.seeTorn(th.thread)
		}
		if !th.Live() {
			s.arrivals.ends(th.thread, tr)
		}
		s.arrivals.set(th, tr)
		err = s.Promises.judge(th, tr, promises, alone)
	}
	tr.Last = th.Insns
	s.arena.Seal(tr)
	if err != nil {
		return nil, err
	}
	s.current = trace.NoThread
	s.settle(th, tr, alone)
	return tr, s.news()
}

// settle has the parts take in a step that is over. alone: no other thread was there.
func (s *System) settle(th edit, tr *trace.Transition, alone bool) {
	s.spins.freeContexts(th.thread, tr)
	s.settleDue(th, tr)
	s.Naps.learnsWait(th.thread)
	s.Naps.timePassed(tr)
	s.countRound(th)
	s.uses.meetStep(th.thread, tr, alone)
	s.spins.endPolls(th, tr)
	if len(s.steps)%patience == 0 {
		s.spins.hurry()
	}
	if len(s.steps)%longestAfter == 0 {
		s.Ends.tire()
	}
	s.wakeSpinners(tr)
	s.awaits.settle(&s.steps[len(s.steps)-1])
	s.Blends.count(&s.steps[len(s.steps)-1])
	s.unreads.settle(tr)
	s.Kinship.settle(th, tr)
	if s.EveryOperation() && s.Coarse() {
		s.sightOperations(tr)
	}
}
