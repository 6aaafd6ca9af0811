package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// nextRun is what the next run of a thread within its step may do.
type nextRun struct {
	allow uint32 // the shared events that it may make before it stops
	skip  bool   // the breakpoint at its first instruction is passed
	past  bool   // so is the fence there: the operation has waited
	pass  bool   // it runs one instruction, whose accesses are let through
	look  uint64 // from so many instructions of the thread on, an endless loop is thought of
}

// firstRun is a thread's first run from where it stands.
func firstRun(th edit, allow uint32) nextRun {
	next := nextRun{allow: allow, look: th.Insns + firstChunk}
	next.skip = (th.Stand == StandOp || th.Stand == StandRun) && !th.limited || th.Stand == StandFence && th.begun
	next.past = th.Stand == StandAccess || th.Stand == StandFence // the operation there has waited
	th.Stand, th.limited, th.begun, th.returns = StandRun, false, false, 0
	return next
}

// runCPU lets the CPU run for a thread once and takes in what the run did.
func (s *System) runCPU(th edit, tr *trace.Transition, next *nextRun) *emu.Stop {
	r := &s.run
	runs := s.setRun(r, th, tr, next)
	at, dead := th.Access.PC, next.allow > 0 && s.unreads.deadAt(th.thread)
	viewed := r.Flags&emu.Narrate != 0
	watched := s.leftovers.watches(th.thread)
	if watched {
		s.leftovers.beforeRun(r)
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
		stop.Accesses = s.leftovers.watch(th, stop.Accesses)
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
