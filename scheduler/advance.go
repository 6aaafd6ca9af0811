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

// nextRun is what the next run of a thread within its step may do.
type nextRun struct {
	allow uint32 // the shared events that it may make before it stops
	skip  bool   // the breakpoint at its first instruction is passed
	past  bool   // so is the fence there: the operation has waited
	pass  bool   // it runs one instruction, whose accesses are let through
	look  uint64 // from so many instructions of the thread on, an endless loop is thought of
}

// Advance runs a thread from its saved CPU state to its next preemption point.
// allow is the number of shared events that it may make before it stops. New
// accesses and operations are appended to tr.
func (s *System) Advance(t trace.TID, tr *trace.Transition, allow uint32) error {
	th := s.edit(t)
	next := firstRun(th, allow)
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
		if len(stop.Accesses) > 0 {
			next.allow = 0
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
			next.allow = 0
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

// firstRun is a thread's first run from where it stands.
func firstRun(th edit, allow uint32) nextRun {
	next := nextRun{allow: allow, look: th.Insns + firstChunk}
	next.skip = (th.Stand == StandOp || th.Stand == StandRun) && !th.limited || th.Stand == StandFence && th.begun
	next.past = th.Stand == StandAccess || th.Stand == StandFence // the operation there has waited
	th.Stand, th.limited, th.begun, th.returns = StandRun, false, false, 0
	return next
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
		next.allow = 0 // an access after it is another event
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

// unmodelled says what the machine stopped before: an instruction that it hasn't
// got, or something done to code.
func (s *fixed) unmodelled(th *thread, stop *emu.Stop) error {
	if stop.Detail == emu.StoreIntoCode || stop.Detail == emu.CodeMade {
		return s.Invalid(kernel.GapCode, th.ID, stop.PC, "%s isn't modelled", stop.Detail)
	}
	return s.Invalid(kernel.GapInstruction, th.ID, stop.PC, "the instruction %s isn't modelled", stop.Detail)
}

// runCPU lets the CPU run for a thread once and takes in what the run did.
func (s *System) runCPU(th edit, tr *trace.Transition, next *nextRun) *emu.Stop {
	r := &s.run
	runs := s.setRun(r, th, tr, next)
	at, dead := th.Access.PC, next.allow > 0 && s.unreads.deadAt(th.thread)
	viewed := r.Flags&emu.Narrate != 0
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
			s.buffers.takeStores(th, tr, n, journal, from)
			made = tr.Accesses[n:]
		}
		if s.Coarse() && !s.probing {
			party, holds := s.Signals.party(th.thread)
			for i := range made {
				s.record.Sight(party, &made[i], holds, i == 0 && next.allow > 0 && !s.passedOver || runs&RunsStep != 0)
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

// setRun says what the machine is to run for a thread, and returns what the library has the thread do.
func (s *System) setRun(r *emu.Run, th edit, tr *trace.Transition, next *nextRun) Running {
	r.From, r.Thread, r.Allow, r.SkipBreak = th.Ctx, th.ID, next.allow, next.skip || next.pass
	r.StopAt = 0
	r.Budget = min(next.look-th.Insns, s.cfg.StepBudget-(th.Insns-tr.Begin))
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
	if s.cfg.Buffers && r.Flags&emu.StopShared != 0 && (th.buffer.Stored() || next.allow > 0) {
		r.Flags |= emu.Fences
	}
	if next.pass {
		r.Flags |= emu.Unchecked
		r.StopAt = 2
	}
	if s.viewer != nil && !s.probing && !s.trying {
		r.Flags |= emu.Narrate
	}
	return runs
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
