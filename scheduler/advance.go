package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// firstChunk is the number of instructions that a run may take before landgo
// looks whether the thread is in an endless loop.
const firstChunk = 4096

// pollEvery is after how many stops of a step stopping is thought of: each is an
// operation that landgo carries out, or some thousand instructions.
const pollEvery = 1 << 14

// Advance runs a thread from its saved CPU state to its next preemption point.
// allow is the number of shared events that it may make before it stops. New
// accesses and operations are appended to tr.
func (s *System) Advance(t trace.TID, tr *trace.Transition, allow uint32) error {
	th := s.edit(t)
	next := firstRun(th, max(allow, s.strideLeft(t, &s.attempt)))
	framing := th.framing
	th.framing = false
	first := th.Ctx // the step's own beginning stays: spin detection compares with it
	for stops := 1; ; stops++ {
		if over, err := s.tooLong(th, tr, &next, stops); over || err != nil {
			return err
		}
		s.run.Reuse = th.Ctx != first && th.Ctx != s.pinned
		if next.skip && s.lib.AtCallersReturn(th.ID) {
			next.skip = false
		}
		before := len(tr.Accesses)
		s.run.SkipFence = next.past
		stop, err := s.runOrPlay(th, tr, &next)
		if err != nil {
			return err
		}
		if th.ended != 0 {
			s.Stacks.deepens(th, stop)
		}
		// A function may begin with an instruction that waits: the two stops are at one place.
		begun := next.skip && stop.Insns == 0
		passing := next.pass
		next.past = next.past && stop.Insns == 0 && stop.Why == emu.StopBreak
		next.skip, next.pass = false, false
		if s.buffers.weak != 0 {
			return s.buffers.unordered(th.thread)
		}
		if n := len(stop.Accesses); n > 0 {
			next.allow -= min(next.allow, uint32(n))
			if s.cfg.Guarded {
				if err := s.lib.CheckGuarded(th.ID, stop.Accesses); err != nil {
					return err
				}
			}
		}
		switch stop.Why {
		case emu.StopAccess:
			th.Stand, th.Access = StandAccess, stop.Access
			if !s.Points.Allowed(th.ID, stop.PC) {
				th.Stand, next.allow, s.passedOver = StandRun, 1, true
				continue
			}
			s.Stacks.standsAtAccess(th)
			return s.standAt(th, tr)
		case emu.StopBreak:
			if stays, err := s.meets(th, tr, stop, &next); stays || err != nil {
				return err
			}
		case emu.StopTrap:
			th.Regs, th.trap = stop.Regs, stop.Trap
			next.allow = s.strideLeft(t, &s.attempt)
			done, err := s.Traps.atTrap(th, tr)
			if err != nil {
				return err
			}
			if done {
				return s.standAt(th, tr)
			}
		case emu.StopFault:
			if again, ok := s.Blocks.passBlock(th, tr, stop, before); ok && !passing {
				next.pass, next.allow = true, max(next.allow, again)
				continue
			}
			if over, err := s.Signals.atFault(th, tr, stop, framing); over || err != nil {
				return err
			}
		case emu.StopFence:
			if s.buffers.atFence(th) {
				th.begun = begun
				return s.standAt(th, tr)
			}
			next.past, next.skip = true, begun
		case emu.StopBudget:
			if s.stopIf != nil && s.stopIf() {
				return ErrStopped
			}
			if s.scouts.cutShort(th, tr) {
				th.limited = true
				return nil
			}
		case emu.StopInsn: // a replay's segment ends here
			if passing && !s.atLimit(th.thread) {
				continue
			}
			th.limited = true
			return nil
		case emu.StopPrivileged:
			if over, err := s.Signals.atPrivileged(th, tr, stop, framing); over || err != nil {
				return err
			}
		default:
			return s.stuckAt(th, stop)
		}
	}
}

// tooLong reports whether a thread's step ends before its next run: it is in an endless loop, or
// takes more than a step may.
func (s *System) tooLong(th edit, tr *trace.Transition, next *nextRun, stops int) (spins bool, err error) {
	if stops%pollEvery == 0 && s.stopIf != nil && s.stopIf() {
		return false, ErrStopped
	}
	if th.Insns-tr.Begin >= s.cfg.StepBudget {
		return false, &BudgetError{Insns: th.Insns - tr.Begin, PC: s.machine.PC(th.Ctx), Thread: th.ID}
	}
	if th.Insns < next.look || th.ID == 0 && s.starting.plays() {
		return false, nil
	}
	spins, period := s.endless(th)
	if !spins {
		s.longest.noteBusy(th.thread, th.Insns-tr.Begin, period)
		next.look += th.Insns - tr.Begin
	}
	return spins, nil
}

// meets has the library decide at a breakpoint where a thread stopped, and reports whether
// the thread stands there.
func (s *System) meets(th edit, tr *trace.Transition, stop *emu.Stop, next *nextRun) (stays bool, err error) {
	th.Regs = stop.Regs
	v, err := s.lib.AtBreak(th.ID, stop.Break, tr)
	if err != nil {
		return false, err
	}
	switch v {
	case Stay:
		s.Stacks.standsAtOp(th.thread)
		return true, s.standAt(th, tr)
	case Pass:
		next.allow = s.strideLeft(th.ID, &s.attempt) // an access after it is another event
	case PassAllow:
		if len(tr.Accesses) == 0 {
			next.allow = 1
		}
	}
	if s.lib.Running(th.ID)&RunsCreate != 0 {
		next.allow = 0 // the child may come between
	}
	next.skip = v == Step
	return false, nil
}

// stuckAt ends a run at what the machine can't carry out.
func (s *System) stuckAt(th edit, stop *emu.Stop) error {
	switch {
	case stop.Why != emu.StopUnmodelled:
		return s.Invalid(kernel.GapEngine, th.ID, stop.PC, "the engine stopped for reason %d", stop.Why)
	case s.cfg.Leaves:
		th.Regs = stop.Regs
		return s.Fail(th.ID, &Failure{Thread: th.ID, PC: stop.PC, Left: true})
	}
	return s.unmodelled(th.thread, stop)
}

// atLimit reports whether a thread is where a replay's segment ends.
func (s *System) atLimit(th *thread) bool {
	return s.limit != 0 && !s.probing && s.limit == th.Insns
}
