package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// AtBreak implements scheduler.Calls. The thread's registers are current.
func (s *Library) AtBreak(t trace.TID, class uint8, tr *trace.Transition) (scheduler.Verdict, error) {
	return s.atBreak(s.edit(t), breakClass(class), tr)
}

// atBreak decides what a breakpoint means to a thread.
func (s *Library) atBreak(th edit, class breakClass, tr *trace.Transition) (scheduler.Verdict, error) {
	pc := th.Regs.RIP
	switch class {
	case breakReturn:
		return s.atReturn(th, tr)
	case breakString:
		return s.atString(th, tr)
	case breakOperator:
		s.atOperator(th)
		return scheduler.Step, nil
	case breakEntry:
		s.atEntry()
		return scheduler.Step, nil
	case breakMain:
		s.core.Enter()
		return scheduler.Step, nil
	case breakStart:
		if th.Starting && pc == th.Entry {
			th.Starting = false
			th.exitSP = th.Regs.RSP
			th.exitPC = s.core.Word(th.exitSP)
			s.breakAt(th.exitPC, breakExit)
			s.findOver(th.exitPC)
			if s.core.Coarse() || s.cfg.Fill != nil {
				return scheduler.Stay, nil // see spawn
			}
		}
		return scheduler.Step, nil
	case breakOver:
		return s.atOver(th, tr)
	case breakExit:
		if pc != th.exitPC || th.Regs.RSP != th.exitSP+s.wordSize {
			return scheduler.Step, nil
		}
		for s.returnsHere(th.thread) { // called as the last thing that it does
			if v, err := s.atReturn(th, tr); err != nil || v == scheduler.Stay {
				return v, err
			}
		}
		th.resumeEnd()
		if th.native { // the runtime's own code ends it, landgo's join takes the result
			th.Returned = th.Regs.RAX
			return scheduler.Step, nil
		}
		if !s.known.Native {
			if on, err := s.endCache(th, th.Regs.RAX); on || err != nil {
				return scheduler.Pass, err
			}
			if s.core.Ends.IsStep(th.ID) { // as a call of pthread_exit
				th.Stand, th.role, th.phase, th.timed = scheduler.StandOp, profile.ThreadExit, phaseEntry, false
				th.args[0] = th.Regs.RAX
				return scheduler.Stay, nil
			}
			return s.lives.endThread(th, tr, th.Regs.RAX)
		}
		return scheduler.Step, nil
	case breakRole:
		s.quiets.unwinds(th, s.meant[pc].Role)
		b, ok := s.roles[pc]
		if !ok {
			return scheduler.Step, nil // not trusted any more
		}
		s.takeArgs(th, b.Args)
		s.enter(th, b.Role)
		if acts[b.Role].how == property {
			return s.properties.at(th, tr, b.Role)
		}
		if len(th.held) > 0 {
			if err := s.leavesWait(th, false); err != nil {
				return scheduler.Stay, err
			}
		}
		if s.cfg.Faults.Any() && s.standsBeforeFault(th, &b) {
			return scheduler.Stay, nil
		}
		if s.follows(&b) && (th.trusted() || !s.trusts(b.Role)) {
			return s.atPool(th, tr, &b)
		}
		if s.carried.carries(b.Role) {
			return s.carried.at(th, tr, b.Role)
		}
		if s.names(th, &b) {
			if v, err := s.lives.atName(th, tr, b.Role); err != nil || v == scheduler.Stay {
				return v, err
			}
		}
		if (s.cfg.Tested || b.Own) && acts[b.Role].how != ending && !s.trusts(b.Role) {
			return s.atTested(th, b.Role)
		}
		if th.quiet.on && s.trusts(b.Role) {
			return s.atInner(th, tr, b.Role)
		}
		if acts[b.Role].how == allocator && !s.cfg.Tested {
			th.role = b.Role
			if s.cfg.NativeMalloc {
				return s.atFollowed(th, tr)
			}
			if b.Role == profile.InsideAllocator {
				return scheduler.Step, nil // of memory that isn't in use
			}
			return s.atAllocator(th, tr)
		}
		if s.passesLock(th.thread, b.Role) {
			s.ret(th, 0)
			return scheduler.Pass, nil
		}
		if th.trusted() || s.distrusted && namesThread(b.Role) {
			return scheduler.Step, nil
		}
		th.role = b.Role
		if th.role == profile.RWLock {
			th.role = [2]profile.Role{profile.RWReadLock, profile.RWWriteLock}[min(th.arg(1), 1)]
		}
		return s.atRole(th, tr)
	}
	return scheduler.Step, nil
}

// atTested makes the points at a function that is tested, not trusted: before
// one that acquires, and after the return of one that releases. With PointMem
// the accesses inside are points.
func (s *Library) atTested(th edit, r profile.Role) (scheduler.Verdict, error) {
	a := &acts[r]
	switch r {
	case profile.ThreadExit:
		th.Leaving = true
	case profile.DebugPrint:
		return scheduler.Step, s.debugPrint(th.thread)
	}
	if !s.core.Alone(th.ID) {
		s.core.MeetPoints(scheduler.PointsAt(r))
	}
	switch {
	case s.core.EveryOperation() || s.core.Alone(th.ID):
	case a.point&s.cfg.Points != 0 && s.core.Points.Allowed(th.ID, th.Regs.RIP):
		return scheduler.Stay, nil
	case a.release && s.cfg.Points&trace.PointUnlock != 0:
		sp := th.Regs.RSP
		th.release = frame{on: true, ret: s.core.Word(sp), sp: sp}
		s.breakAt(th.release.ret, breakReturn)
	}
	return scheduler.Step, nil
}

// atInner carries out a trusted operation inside of a trusted function that the
// guest's own code carries out (a student's malloc takes a mutex). No other thread
// runs there, so it can't wait for one.
func (s *Library) atInner(th edit, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	if !onObject(r) {
		return scheduler.Step, nil
	}
	outer := th.role
	th.role, th.phase = r, phaseEntry
	if !s.possible(th.thread) || s.outcomes(th.thread) > 1 || r == profile.CondWait {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, s.callSite(th.thread), "%s would wait inside of a function that is trusted as one step", s.roles[th.Regs.RIP].Name)
	}
	v, err := s.perform(th, tr, 0)
	if v == scheduler.Stay && th.Stand == scheduler.StandFailure || err != nil {
		return scheduler.Stay, err
	}
	th.role = outer
	return scheduler.Pass, nil
}

// printer is a kernel with a console that other things than calls write to.
type printer interface{ Print(text []byte) string }

// debugPrint keeps what a guest tells its simulator.
func (s *Library) debugPrint(th *thread) error {
	if k, ok := s.kernel.(printer); ok {
		if reason := k.Print([]byte(s.str(th.arg(0)) + "\n")); reason != "" {
			return s.core.Invalid(kernel.GapOutput, th.ID, th.Regs.RIP, "%s", reason)
		}
	}
	return nil
}

// atRole decides what a trusted function's entry means.
func (s *Library) atRole(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	a := &acts[th.role]
	if a.how == refused {
		return scheduler.Stay, s.core.Invalid(kernel.GapInstruction, th.ID, s.callSite(th.thread), "%s needs the flags of floating-point exceptions, which aren't modelled", s.roles[th.Regs.RIP].Name)
	}
	if s.distrustFor(th.thread) {
		return scheduler.Step, nil
	}
	switch a.how {
	case quietly, watched:
		if !s.endings.registers(th) {
			return scheduler.Step, nil
		}
		if s.isOwnStep(th.thread) {
			th.Stand, th.phase = scheduler.StandOp, phaseEntry
			return scheduler.Stay, nil
		}
		s.quiets.touchByName(th.thread, tr)
		if th.role == profile.UnwindFind && s.findsTables(th, tr) {
			return scheduler.Pass, nil
		}
		return s.quiets.enter(th, a.how == watched)
	case noted:
		if th.role == profile.Caught {
			s.leaveOnces(th, tr, th.Regs.RSP)
			return scheduler.Step, nil
		}
		s.endings.note(th)
		return scheduler.Step, nil
	case ending:
		return s.endings.at(th)
	case allocator: // a student's
		if s.isOwnStep(th.thread) {
			th.Stand, th.phase = scheduler.StandOp, phaseEntry
			return scheduler.Stay, nil
		}
		s.quiets.touchByName(th.thread, tr)
		if v, err := s.quiets.enter(th, false); err != nil {
			return v, err
		}
		return s.enterTrustedPool(th, tr)
	case naming:
		return scheduler.Step, nil
	case operation:
		if th.role == profile.Yield && s.known.Signalled.Has(uint64(th.ID)) {
			return scheduler.Step, nil // its call takes signals
		}
		return s.atOperation(th, tr, a)
	}
	return scheduler.Step, nil
}
