package scheduler

import (
	"landgo/internal/image"
	"landgo/internal/trace"
	"landgo/kernel"
)

// verdict is what follows a stop at a breakpoint.
type verdict uint8

const (
	// stay: the thread stands here; the step is over.
	stay verdict = iota
	// step: run on, this instruction included.
	step
	// pass: run on from where the registers were set to.
	pass
	// passAllow: the same, and the next shared access still belongs to this
	// step (a lock merged with it, see lockmerge.go).
	passAllow
)

// atBreak decides what a breakpoint means to a thread. th.Regs is current.
func (s *library) atBreak(th *thread, tr *trace.Transition) (verdict, error) {
	pc := th.Regs.RIP
	switch s.breaks[pc] {
	case breakReturn:
		return s.atReturn(th, tr)
	case breakString:
		return s.atString(th, tr)
	case breakOperator:
		s.atOperator(th)
		return step, nil
	case breakMain:
		s.machine.Put(&s.entered, 1)
		return step, nil
	case breakStart:
		if th.starting && pc == th.entry {
			th.starting = false
			th.exitSP = th.Regs.RSP
			th.exitPC = s.word(th.exitSP)
			s.breakAt(th.exitPC, breakExit)
			if s.coarse() {
				return stay, nil // see spawn
			}
		}
		return step, nil
	case breakExit:
		if pc != th.exitPC || th.Regs.RSP != th.exitSP+s.wordSize {
			return step, nil
		}
		for s.returnsHere(th) { // called as the last thing that it does
			if v, err := s.atReturn(th, tr); err != nil || v == stay {
				return v, err
			}
		}
		th.resumeEnd()
		if th.native { // the runtime's own code ends it, landgo's join takes the result
			th.retval = th.Regs.RAX
			return step, nil
		}
		if !s.known.Native {
			if on, err := s.endCache(th, th.Regs.RAX); on || err != nil {
				return pass, err
			}
			if s.exitIsStep(th) { // as a call of pthread_exit
				th.Stand, th.role, th.phase, th.timed = StandOp, image.ThreadExit, phaseEntry, false
				th.args[0] = th.Regs.RAX
				return stay, nil
			}
			return s.endThread(th, tr, th.Regs.RAX)
		}
		return step, nil
	case breakRole:
		b, ok := s.roles[pc]
		if !ok {
			return step, nil // not trusted any more
		}
		s.takeArgs(th, b.Args)
		if len(th.held) > 0 {
			if err := s.leavesWait(th, false); err != nil {
				return stay, err
			}
		}
		if s.follows(&b) && (th.trusted() || !s.trusts(b.Role)) {
			return s.atPool(th, tr, &b)
		}
		if s.carries(b.Role) {
			return s.atCarried(th, tr, b.Role)
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
			if b.Role == image.InsideAllocator {
				return step, nil // of memory that isn't in use
			}
			return s.atAllocator(th, tr)
		}
		if th.trusted() {
			return step, nil
		}
		th.role = b.Role
		if th.role == image.RWLock {
			th.role = [2]image.Role{image.RWReadLock, image.RWWriteLock}[min(th.arg(1), 1)]
		}
		return s.atRole(th, tr)
	}
	return step, nil
}

// atTested makes the points at a function that is tested, not trusted: before
// one that acquires, and after the return of one that releases. With PointMem
// the accesses inside are points.
func (s *library) atTested(th *thread, r image.Role) (verdict, error) {
	a := &acts[r]
	switch r {
	case image.ThreadExit:
		th.leaving = true
	case image.DebugPrint:
		return step, s.debugPrint(th)
	}
	if !s.alone(th) {
		s.met.Points |= PointsAt(r)
	}
	switch {
	case s.everyOperation() || s.alone(th):
	case a.point&s.cfg.Points != 0 && s.pointAllowed(th, th.Regs.RIP):
		return stay, nil
	case a.release && s.cfg.Points&PointUnlock != 0:
		sp := th.Regs.RSP
		th.release = quiet{on: true, ret: s.word(sp), sp: sp}
		s.breakAt(th.release.ret, breakReturn)
	}
	return step, nil
}

// atInner carries out a trusted operation inside of a trusted function that the
// guest's own code carries out (a student's malloc takes a mutex): no other
// thread runs there, so it can't wait for one.
func (s *library) atInner(th *thread, tr *trace.Transition, r image.Role) (verdict, error) {
	if !onObject(r) {
		return step, nil
	}
	outer := th.role
	th.role, th.phase = r, phaseEntry
	if !s.possible(th) || s.outcomes(th) > 1 || r == image.CondWait {
		return stay, s.invalid(kernel.GapTrust, th, s.callSite(th), "%s would wait inside of a function that is trusted as one step", s.roles[th.Regs.RIP].Name)
	}
	v, err := s.perform(th, tr, 0)
	if v == stay && th.Stand == StandFailure || err != nil {
		return stay, err
	}
	th.role = outer
	return pass, nil
}

// printer is a kernel with a console that other things than calls write to.
type printer interface{ Print(text []byte) string }

// debugPrint keeps what a guest tells its simulator.
func (s *library) debugPrint(th *thread) error {
	if k, ok := s.kernel.(printer); ok {
		if reason := k.Print([]byte(s.str(th.arg(0)) + "\n")); reason != "" {
			return s.invalid(kernel.GapOutput, th, th.Regs.RIP, "%s", reason)
		}
	}
	return nil
}

// atRole decides what a trusted function's entry means.
func (s *library) atRole(th *thread, tr *trace.Transition) (verdict, error) {
	if s.distrustFor(th) {
		return step, nil
	}
	a := &acts[th.role]
	switch a.how {
	case quietly, watched:
		if s.isOwnStep(th) {
			th.Stand, th.phase = StandOp, phaseEntry
			return stay, nil
		}
		s.touchByName(th, tr)
		return s.enterQuiet(th, a.how == watched)
	case noted:
		if th.role == image.Caught {
			s.leaveOnces(th, tr, th.Regs.RSP)
			return step, nil
		}
		s.note(th)
		return step, nil
	case ending:
		return s.atEnding(th)
	case allocator: // a student's
		if s.isOwnStep(th) {
			th.Stand, th.phase = StandOp, phaseEntry
			return stay, nil
		}
		s.touchByName(th, tr)
		if v, err := s.enterQuiet(th, false); err != nil {
			return v, err
		}
		return s.enterTrustedPool(th, tr)
	case operation:
		return s.atOperation(th, tr, a)
	}
	return step, nil
}
