package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// AtBreak implements scheduler.Calls. The thread's registers are current.
func (l *Library) AtBreak(t trace.TID, class uint8, tr *trace.Transition) (scheduler.Verdict, error) {
	return l.atBreak(l.edit(t), breakClass(class), tr)
}

// atBreak decides what a breakpoint means to a thread.
func (l *Library) atBreak(th edit, class breakClass, tr *trace.Transition) (scheduler.Verdict, error) {
	pc := th.Regs.RIP
	th.begins = false
	if th.Starting && pc == th.Entry {
		l.leavesRuntime(th)
		if l.core.Coarse() || l.cfg.Fill != nil {
			th.begins = class != breakStart
			return scheduler.Stay, nil // see spawn
		}
	}
	switch class {
	case breakReturn:
		return l.atReturn(th, tr)
	case breakString:
		return l.atString(th, tr)
	case breakOperator:
		l.atOperator(th)
		return scheduler.Step, nil
	case breakEntry:
		l.atEntry()
		return scheduler.Step, nil
	case breakMain:
		l.core.Enter()
		return scheduler.Step, nil
	case breakStart:
		return scheduler.Step, nil
	case breakOver:
		return l.atOver(th, tr)
	case breakExit:
		return l.atEnd(th, tr)
	case breakRole:
		return l.atFunction(th, tr)
	}
	return scheduler.Step, nil
}

// atEnd decides what the return from a thread's start routine means.
func (l *Library) atEnd(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.Regs.RIP != th.exitPC || th.Regs.RSP != th.exitSP+l.wordSize {
		return scheduler.Step, nil
	}
	for l.returnsHere(th.thread) { // called as the last thing that it does
		if v, err := l.atReturn(th, tr); err != nil || v == scheduler.Stay {
			return v, err
		}
	}
	th.resumeEnd()
	if th.native { // the runtime's own code ends it, landgo's join takes the result
		th.Returned = th.Regs.RAX
		return scheduler.Step, nil
	}
	if !l.known.Native {
		if on, err := l.endCache(th, th.Regs.RAX); on || err != nil {
			return scheduler.Pass, err
		}
		if l.core.Ends.IsStep(th.ID) { // as a call of pthread_exit
			th.Stand, th.role, th.phase, th.timed = scheduler.StandOp, profile.ThreadExit, phaseEntry, false
			th.args[0] = th.Regs.RAX
			return scheduler.Stay, nil
		}
		return l.lives.endThread(th, tr, th.Regs.RAX)
	}
	return scheduler.Step, nil
}

// atFunction decides what the entry of a function that has a role means.
func (l *Library) atFunction(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	pc := th.Regs.RIP
	l.quiets.unwinds(th, l.meant[pc].Role)
	b, ok := l.roles[pc]
	if !ok {
		return scheduler.Step, nil // not trusted any more
	}
	l.takeArgs(th, b.Args)
	l.enter(th, b.Role)
	if acts[b.Role].how == property {
		return l.properties.at(th, tr, b.Role)
	}
	if len(th.held) > 0 {
		if err := l.leavesWait(th, false); err != nil {
			return scheduler.Stay, err
		}
	}
	if l.cfg.Faults.Any() && l.standsBeforeFault(th, &b) {
		return scheduler.Stay, nil
	}
	if l.follows(&b) && (th.trusted() || !l.trusts(b.Role)) {
		return l.atPool(th, tr, &b)
	}
	if l.carried.carries(b.Role) {
		return l.carried.at(th, tr, b.Role)
	}
	if l.names(th, &b) {
		if v, err := l.lives.atName(th, tr, b.Role); err != nil || v == scheduler.Stay {
			return v, err
		}
	}
	if (l.cfg.Tested || b.Own) && acts[b.Role].how != ending && !l.trusts(b.Role) {
		return l.atTested(th, b.Role)
	}
	if th.quiet.on && l.trusts(b.Role) {
		return l.atInner(th, tr, b.Role)
	}
	if acts[b.Role].how == allocator && !l.cfg.Tested {
		th.role = b.Role
		if l.cfg.OwnAllocator {
			return l.atFollowed(th, tr)
		}
		if b.Role == profile.InsideAllocator {
			return scheduler.Step, nil // of memory that isn't in use
		}
		return l.atAllocator(th, tr)
	}
	if l.passesLock(th.thread, b.Role) {
		l.ret(th, 0)
		return scheduler.Pass, nil
	}
	if th.trusted() || l.distrusted && namesThread(b.Role) {
		return scheduler.Step, nil
	}
	th.role = b.Role
	if th.role == profile.RWLock {
		th.role = [2]profile.Role{profile.RWReadLock, profile.RWWriteLock}[min(th.arg(1), 1)]
	}
	return l.atRole(th, tr)
}

// atTested makes the points at a function that is tested, not trusted: before
// one that acquires, and after the return of one that releases. With PointMem
// the accesses inside are points.
func (l *Library) atTested(th edit, r profile.Role) (scheduler.Verdict, error) {
	a := &acts[r]
	switch r {
	case profile.ThreadExit:
		th.Leaving = true
	case profile.DebugPrint:
		return scheduler.Step, l.debugPrint(th.thread)
	}
	if !l.core.Alone(th.ID) {
		l.core.Seen().Met.Points |= scheduler.PointsAt(r)
	}
	switch {
	case l.core.EveryOperation() || l.core.Alone(th.ID):
	case a.point&l.cfg.Points != 0 && l.core.Points.Allowed(th.ID, th.Regs.RIP):
		return scheduler.Stay, nil
	case a.release && l.cfg.Points&trace.PointUnlock != 0:
		sp := th.Regs.RSP
		th.release = frame{on: true, ret: l.core.Word(sp), sp: sp}
		l.breakAt(th.release.ret, breakReturn)
	}
	return scheduler.Step, nil
}

// atInner carries out a trusted operation inside of a trusted function that the
// guest's own code carries out (a student's malloc takes a mutex). No other thread
// runs there, so it can't wait for one.
func (l *Library) atInner(th edit, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	if !onObject(r) {
		return scheduler.Step, nil
	}
	outer := th.role
	th.role, th.phase = r, phaseEntry
	if !l.possible(th.thread) || l.outcomes(th.thread) > 1 || r == profile.CondWait {
		return scheduler.Stay, l.core.Invalid(kernel.GapTrust, th.ID, l.callSite(th.thread), "%s would wait inside of a function that is trusted as one step", l.roles[th.Regs.RIP].Name)
	}
	v, err := l.perform(th, tr, 0)
	if v == scheduler.Stay && th.Stand == scheduler.StandFailure || err != nil {
		return scheduler.Stay, err
	}
	th.role = outer
	return scheduler.Pass, nil
}

// printer is a kernel with a console that other things than calls write to.
type printer interface{ Print(text []byte) string }

// debugPrint keeps what a guest tells its simulator.
func (l *Library) debugPrint(th *thread) error {
	if k, ok := l.kernel.(printer); ok {
		if reason := k.Print([]byte(l.str(th.arg(0)) + "\n")); reason != "" {
			return l.core.Invalid(kernel.GapOutput, th.ID, th.Regs.RIP, "%s", reason)
		}
	}
	return nil
}

// atRole decides what a trusted function's entry means.
func (l *Library) atRole(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	a := &acts[th.role]
	if a.how == refused {
		return scheduler.Stay, l.core.Invalid(kernel.GapInstruction, th.ID, l.callSite(th.thread), "%s needs the flags of floating-point exceptions, which aren't modelled", l.roles[th.Regs.RIP].Name)
	}
	if l.distrustFor(th.thread) {
		return scheduler.Step, nil
	}
	switch a.how {
	case quietly, watched:
		if !l.endings.registers(th) {
			return scheduler.Step, nil
		}
		if l.isOwnStep(th.thread) {
			th.Stand, th.phase = scheduler.StandOp, phaseEntry
			return scheduler.Stay, nil
		}
		l.quiets.touchByName(th.thread, tr)
		if th.role == profile.UnwindFind && l.findsTables(th, tr) {
			return scheduler.Pass, nil
		}
		return l.quiets.enter(th, a.how == watched)
	case noted:
		if th.role == profile.Caught {
			l.leaveOnces(th, tr, th.Regs.RSP)
			return scheduler.Step, nil
		}
		l.endings.note(th)
		return scheduler.Step, nil
	case ending:
		return l.endings.at(th)
	case allocator: // a student's
		if l.isOwnStep(th.thread) {
			th.Stand, th.phase = scheduler.StandOp, phaseEntry
			return scheduler.Stay, nil
		}
		l.quiets.touchByName(th.thread, tr)
		if v, err := l.quiets.enter(th, false); err != nil {
			return v, err
		}
		return l.enterTrustedPool(th, tr)
	case naming:
		return scheduler.Step, nil
	case operation:
		if th.role == profile.Yield && l.known.Signalled.Has(uint64(th.ID)) {
			return scheduler.Step, nil // its call takes signals
		}
		return l.atOperation(th, tr, a)
	}
	return scheduler.Step, nil
}

// leavesRuntime has a thread stand at its start routine's first instruction. The routine may
// be a function with a meaning of its own, such as sem_wait.
func (l *Library) leavesRuntime(th edit) {
	th.Starting = false
	th.exitSP = th.Regs.RSP
	th.exitPC = l.core.Word(th.exitSP)
	l.breakAt(th.exitPC, breakExit)
	l.findOver(th.exitPC)
}
