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
	skip := (th.Stand == StandOp || th.Stand == StandRun) && !th.limited
	past := th.Stand == StandAccess || th.Stand == StandFence // the operation there has waited
	skip = skip || th.Stand == StandFence && th.begun
	th.Stand, th.limited, th.begun, th.returns = StandRun, false, false, 0
	framing := th.framing
	th.framing = false
	look := th.Insns + firstChunk
	pass := false   // the next instruction's access is let through
	first := th.Ctx // the step's own beginning stays: spin detection compares with it
	for stops := 1; ; stops++ {
		if stops%pollEvery == 0 && s.stopIf != nil && s.stopIf() {
			return ErrStopped
		}
		if th.Insns-tr.Begin >= s.cfg.StepBudget {
			return &BudgetError{Insns: th.Insns - tr.Begin, PC: s.machine.PC(th.Ctx), Thread: th.ID}
		}
		if th.Insns >= look && !(t == 0 && s.starting.plays()) {
			spins, period := s.endless(th)
			if spins {
				return nil
			}
			s.longest.noteBusy(th.thread, th.Insns-tr.Begin, period)
			look += th.Insns - tr.Begin
		}
		s.run.Reuse = th.Ctx != first && th.Ctx != s.pinned
		if skip && s.lib.AtCallersReturn(th.ID) {
			skip = false
		}
		before := len(tr.Accesses)
		s.run.SkipFence = past
		stop, err := s.runOrPlay(th, tr, allow, skip || pass, &look, pass)
		if err != nil {
			return err
		}
		if th.ended != 0 {
			s.Stacks.deepens(th, stop)
		}
		// A function may begin with an instruction that waits: the two stops are at one place.
		begun := skip && stop.Insns == 0
		past = past && stop.Insns == 0 && stop.Why == emu.StopBreak
		passing := pass
		skip, pass = false, false
		if s.buffers.weak != 0 {
			return s.buffers.unordered(th.thread)
		}
		if len(stop.Accesses) > 0 {
			allow = 0
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
				th.Stand, allow, s.passedOver = StandRun, 1, true
				continue
			}
			s.Stacks.standsAtAccess(th)
			return s.standAt(th, tr)
		case emu.StopBreak:
			th.Regs = stop.Regs
			v, err := s.lib.AtBreak(th.ID, stop.Break, tr)
			if err != nil {
				return err
			}
			switch v {
			case Stay:
				s.Stacks.standsAtOp(th.thread)
				return s.standAt(th, tr)
			case Pass:
				allow = 0 // an access after it is another event
			case PassAllow:
				if len(tr.Accesses) == 0 {
					allow = 1
				}
			}
			if s.lib.Running(th.ID)&RunsCreate != 0 {
				allow = 0 // the child may come between
			}
			skip = v == Step
		case emu.StopTrap:
			th.Regs, th.trap = stop.Regs, stop.Trap
			allow = 0
			done, err := s.Traps.atTrap(th, tr)
			if err != nil {
				return err
			}
			if done {
				return s.standAt(th, tr)
			}
		case emu.StopFault:
			if again, ok := s.Blocks.passBlock(th, tr, stop, before); ok && !passing {
				pass, allow = true, max(allow, again)
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
			past, skip = true, begun
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
		case emu.StopUnmodelled:
			if s.cfg.Leaves {
				th.Regs = stop.Regs
				return s.Fail(th.ID, &Failure{Thread: th.ID, PC: stop.PC, Left: true})
			}
			return s.unmodelled(th.thread, stop)
		default:
			return s.Invalid(kernel.GapEngine, th.ID, stop.PC, "the engine stopped for reason %d", stop.Why)
		}
	}
}

// unmodelled says what the machine stopped before: an instruction that it hasn't
// got, or something done to code.
func (s *fixed) unmodelled(th *thread, stop *emu.Stop) error {
	if stop.Detail == emu.StoreIntoCode || stop.Detail == emu.CodeMade {
		return s.Invalid(kernel.GapCode, th.ID, stop.PC, "%s isn't modelled", stop.Detail)
	}
	return s.Invalid(kernel.GapInstruction, th.ID, stop.PC, "the instruction %s isn't modelled", stop.Detail)
}

// runCPU lets the CPU run for a thread once and takes in what the run did.
// pass: it runs one instruction, whose accesses are let through.
func (s *System) runCPU(th edit, tr *trace.Transition, allow uint32, skip bool, chunk uint64, pass bool) *emu.Stop {
	r := &s.run
	r.From, r.Thread, r.Allow, r.SkipBreak = th.Ctx, th.ID, allow, skip
	r.StopAt = 0
	r.Budget = chunk
	if left := s.cfg.StepBudget - (th.Insns - tr.Begin); r.Budget > left {
		r.Budget = left
	}
	r.Set = th.Set
	if r.Set != 0 {
		r.Regs = th.Regs
		th.Set = 0
	}
	runs := s.lib.Running(th.ID)
	r.Flags = s.flags(th.thread, runs)
	if th.Interrupted != 0 {
		r.Flags |= emu.Intrudes
		r.Own = s.Signals.handlersOwn(th.thread)
	}
	s.timers.asParties(th.thread, r)
	if s.limit != 0 && !s.probing && (s.limit > th.Insns || s.exact && s.limit == th.Insns) {
		r.StopAt = s.limit - th.Insns + 1
	}
	if s.cfg.Buffers && r.Flags&emu.StopShared != 0 && (th.buffer.Stored() || allow > 0) {
		r.Flags |= emu.Fences
	}
	since, insns := s.machine.Journal(), th.Insns
	at, dead := th.Access.PC, allow > 0 && s.unreads.deadAt(th.thread)
	if pass {
		r.Flags |= emu.Unchecked
		r.StopAt = 2
	}
	viewed := s.viewer != nil && !s.probing && !s.trying
	if viewed {
		r.Flags |= emu.Narrate
	}
	watched := s.counts.watches(th.thread)
	if watched {
		s.counts.beforeRun(r)
	}
	from, journal := th.Insns, s.machine.Journal()
	stop := s.machine.Run(r)
	th.Ctx, th.Half = stop.Ctx, stop.Parts
	th.Insns += stop.Insns
	s.record.Instructions += stop.Insns
	for _, f := range stop.Fences {
		tr.Fenced(int(f))
	}
	if viewed {
		s.viewer.Ran(th.ID, from, journal, stop.PC)
	}
	if watched {
		stop.Accesses = s.counts.watch(th, stop.Accesses)
	}
	if len(stop.Accesses) > 0 {
		n := len(tr.Accesses)
		if r.Flags&emu.RecordAll != 0 && s.Kinship.watches() {
			tr.Accesses = s.Kinship.watch(th.thread, stop.Accesses, tr.Accesses)
		} else {
			tr.Accesses = append(tr.Accesses, stop.Accesses...)
		}
		made := tr.Accesses[n:]
		if s.Blends.on || s.Blends.overwriting {
			s.Blends.mark(tr, made, journal)
		}
		for i := range made {
			if s.unreads.covers(&made[i]) {
				s.unreads.mark(&made[i], dead && made[i].PC == at)
			}
		}
		s.lib.Accessed(th.ID, tr, made, r.Flags&emu.Watch != 0)
		if s.cfg.Buffers {
			s.buffers.takeStores(th, tr, n, since, insns)
			made = tr.Accesses[n:]
		}
		if s.Coarse() && !s.probing {
			party, holds := s.Signals.party(th.thread)
			for i := range made {
				s.record.Sight(party, &made[i], holds, i == 0 && allow > 0 && !s.passedOver || runs&RunsStep != 0)
			}
		}
	}
	s.passedOver = false
	if stop.Jumped && !s.known.Jumps {
		s.timers.seeJumps()
	}
	if stop.Learned && (r.Flags&(emu.Quiet|emu.Solo) == 0 || r.Flags&emu.Watch != 0) {
		s.finer = true
	}
	if r.Flags&emu.Watch != 0 && len(stop.Accesses) > 0 {
		s.lib.Meets(th.ID)
	}
	return stop
}

// atLimit reports whether a thread is where a replay's segment ends.
func (s *System) atLimit(th *thread) bool {
	return s.limit != 0 && !s.probing && s.limit == th.Insns
}

// Coarse reports whether there can be shared accesses without a preemption
// point before them.
func (s *fixed) Coarse() bool { return s.cfg.Points&trace.PointMem == 0 || len(s.cfg.Rules) > 0 }

// flags are the machine's flags for a thread's next run.
func (s *System) flags(th *thread, runs Running) emu.RunFlags {
	var f emu.RunFlags
	switch {
	case th.Starting, runs&RunsFollowed != 0:
		f = emu.Quiet
	case runs&RunsQuiet != 0:
		f = emu.Quiet
		if runs&RunsChecked != 0 {
			f |= emu.Check // its argument may be dead
		}
		if runs&RunsWatched != 0 && !s.unseen(th.ID) {
			f |= emu.Watch
		}
	case s.unseen(th.ID):
		if !s.cfg.Guarded {
			f = emu.Solo
		}
	case s.cfg.Points&trace.PointMem != 0:
		f = emu.StopShared
	default:
		if s.cfg.Points&(trace.PointAtomic|trace.PointSync) != 0 {
			f = emu.StopAtomic
		}
		if len(s.racing) > 0 {
			f |= emu.StopPoints
		}
	}
	if s.faults && !th.framing {
		f |= emu.Faults
	}
	if runs&RunsTested != 0 {
		f |= emu.Unchecked
	}
	if s.cfg.Fill != nil && !s.probing {
		f |= emu.Hash
	}
	if s.cfg.KeepAll || s.Kinship.watches() {
		f |= emu.RecordAll
	}
	return f
}
