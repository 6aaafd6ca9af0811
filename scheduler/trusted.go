package scheduler

import (
	"landgo/emu"
	"landgo/image"
	"landgo/trace"
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

// atBreak decides what a breakpoint means to a thread. th.regs is current.
func (s *System) atBreak(th *thread, tr *trace.Transition) (verdict, error) {
	pc := th.regs.RIP
	switch s.breaks[pc] {
	case breakReturn:
		return s.atReturn(th, tr)
	case breakStart:
		if th.starting && pc == th.entry {
			th.starting = false
			th.exitSP = th.regs.RSP
			th.exitPC = s.machine.Read64(th.exitSP)
			s.breakAt(th.exitPC, breakExit)
			if s.coarse() {
				return stay, nil // see spawn
			}
		}
		return step, nil
	case breakExit:
		if pc == th.exitPC && th.regs.RSP == th.exitSP+8 && !th.native && !s.native {
			return s.endThread(th, tr, th.regs.RAX)
		}
		return step, nil
	case breakRole:
		b, ok := s.roles[pc]
		if !ok {
			return step, nil // not trusted any more
		}
		if s.cfg.PointsOnly && acts[b.Role].how != ending {
			return s.atTested(th, b.Role), nil
		}
		if acts[b.Role].how == allocator {
			th.role = b.Role
			return s.atAllocator(th, tr)
		}
		if th.starting || th.quiet.on {
			return step, nil
		}
		th.role = b.Role
		return s.atRole(th, tr)
	}
	return step, nil
}

// atTested makes the points at a function that is tested, not trusted: before
// one that acquires, and after the return of one that releases. With PointMem
// the accesses inside are points.
func (s *System) atTested(th *thread, r image.Role) verdict {
	a := &acts[r]
	switch {
	case s.cfg.Points&PointMem != 0 || s.alone(th):
	case a.point&s.cfg.Points != 0 && s.pointAllowed(th, th.regs.RIP):
		return stay
	case a.release && s.cfg.Points&PointUnlock != 0:
		sp := th.regs.RSP
		th.release = quiet{on: true, ret: s.machine.Read64(sp), sp: sp}
		s.breakAt(th.release.ret, breakReturn)
	}
	return step
}

// atRole decides what a trusted function's entry means.
func (s *System) atRole(th *thread, tr *trace.Transition) (verdict, error) {
	if s.distrustFor(th) {
		return step, nil
	}
	a := &acts[th.role]
	switch a.how {
	case quietly, watched:
		if s.isOwnStep(th) {
			th.stand, th.phase = standOp, phaseEntry
			return stay, nil
		}
		s.touchByName(th, tr)
		return s.enterQuiet(th, a.how == watched)
	case noted:
		s.note(th)
		return step, nil
	case ending:
		return s.atEnding(th)
	case operation:
		return s.atOperation(th, tr, a)
	}
	return step, nil
}

// enterQuiet lets the guest's own code carry out a trusted function without
// interruption. The function extends from its entry to the return to its
// caller's address at the caller's stack pointer.
func (s *System) enterQuiet(th *thread, watch bool) (verdict, error) {
	sp := th.regs.RSP
	ret := s.machine.Read64(sp)
	// The program's own allocator, called from within the library, works on
	// memory that its other callers work on.
	watch = watch || s.ownAllocator
	th.quiet = quiet{on: true, watch: watch, role: th.role, ret: ret, sp: sp}
	if th.role == image.Create {
		th.entryOfChild = th.arg(2)
		s.breakAt(th.entryOfChild, breakStart)
	}
	s.breakAt(ret, breakReturn)
	return step, nil
}

// atReturn ends a quiet function or a once routine, if it is its return.
func (s *System) atReturn(th *thread, tr *trace.Transition) (verdict, error) {
	if q := &th.quiet; q.on {
		if th.regs.RIP == q.ret && th.regs.RSP == q.sp+8 {
			return s.leaveQuiet(th), nil
		}
		return step, nil
	}
	if r := &th.release; r.on && th.regs.RIP == r.ret && th.regs.RSP == r.sp+8 {
		th.release = quiet{}
		if s.pointAllowed(th, th.regs.RIP) {
			return stay, nil
		}
		return step, nil
	}
	if n := len(th.onces); n > 0 && th.onces[n-1].sp+8 == th.regs.RSP {
		f := th.onces[n-1]
		th.onces = th.onces[: n-1 : n-1]
		o := s.objectOf(f.obj, kindOnce)
		s.saveObject(o)
		o.done, o.owner = true, trace.NoThread
		tr.Did(trace.Op{Kind: trace.OpOnce, Obj: f.obj, Size: objectSize[kindOnce], PC: f.ret})
		th.regs.RAX = 0
		th.set |= emu.SetRAX
	}
	return step, nil
}

// note remembers a call that changes how threads or the process must end:
// thread-specific destructors and clean-up handlers are the guest's own code,
// so the runtime's real exit has to run them.
func (s *System) note(th *thread) {
	switch th.role {
	case image.KeyCreate:
		if th.arg(1) != 0 {
			s.machine.Set(&s.destructors, 1)
		}
	case image.CleanupPush:
		th.native = true
	case image.AtExit:
		// glibc's start-up registers what runs the destructors of fini_array.
		if f, ok := s.image.SymbolAt(th.arg(0)); !ok || f.Name != "call_fini" {
			s.machine.Set(&s.exitHandlers, 1)
		}
	}
}

// hasDestructors reports whether the program has destructors of its own: more
// in fini_array than the one that the compiler's start files put there.
func hasDestructors(img *image.Image) bool {
	from, ok1 := img.Symbol("__fini_array_start")
	to, ok2 := img.Symbol("__fini_array_end")
	return ok1 && ok2 && to.Addr-from.Addr > 8
}

// atEnding makes a thread stand before the guest's end.
func (s *System) atEnding(th *thread) (verdict, error) {
	pc := s.callSite(th)
	switch th.role {
	case image.ProcessExit:
		if s.cfg.PointsOnly {
			return step, nil
		}
		if s.exitHandlers != 0 || s.ownDestructors {
			return step, nil // they are the guest's own code
		}
		if int32(th.arg(0)) != 0 {
			return s.enterQuiet(th, false) // a bug: its output is wanted, so buffers are flushed
		}
		th.stand, th.phase = standOp, phaseEntry
		return stay, nil
	case image.AssertFail:
		return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: s.assertMessage(th)})
	case image.Panic:
		return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: "panic: " + s.str(th.arg(0))})
	}
	if s.handlesAbort() {
		return step, nil
	}
	return stay, s.fail(th, &Failure{Kind: Assertion, Thread: th.id, PC: pc, Message: "abort() was called"})
}

// atOperation makes a thread stand before a trusted operation, or carries it
// out within this step where no other thread could tell the difference.
func (s *System) atOperation(th *thread, tr *trace.Transition, a *act) (verdict, error) {
	th.phase, th.timed = phaseEntry, false
	if a.deadline != 0 {
		if p := th.arg(int(a.deadline)); p != 0 {
			th.timed, th.deadline = true, s.timespec(p)
		}
	}
	if f := s.misuse(th); f != nil {
		return stay, s.fail(th, f)
	}
	if s.staysAt(th, a) {
		th.stand = standOp
		s.lookInVain(th, tr, a)
		return stay, nil
	}
	return s.perform(th, tr, 0)
}

// lookInVain records that a step ended before an acquire only because it isn't
// possible: without a preemption point there, what the step holds depends on
// the object, as a failed try does.
func (s *System) lookInVain(th *thread, tr *trace.Transition, a *act) {
	if !s.coarse() || s.cfg.Points&(a.point|PointMem) != 0 || s.possible(th) {
		return
	}
	fails := map[trace.OpKind]trace.OpKind{trace.OpLock: trace.OpTryLockFail, trace.OpSemWait: trace.OpSemTryWaitFail,
		trace.OpReadLock: trace.OpTryReadLockFail, trace.OpWriteLock: trace.OpTryWriteLockFail}
	if k, ok := fails[a.op]; ok {
		s.did(th, tr, k, s.objectOf(th.arg(0), a.kind), 0)
	}
}

// staysAt reports whether there has to be a preemption point before the
// operation.
func (s *System) staysAt(th *thread, a *act) bool {
	if th.role == image.ThreadExit {
		return false
	}
	if !s.possible(th) || s.outcomes(th) > 1 {
		return true
	}
	switch th.role {
	case image.Yield:
		return false // order, no race
	case image.Join, image.TryJoin, image.TimedJoin, image.ClockJoin:
		// Order, no race either. But where a step ends must depend on the
		// thread alone, or equal traces would be cut into unequal steps: a
		// second join may be possible already, or not yet.
		return !s.alone(th)
	}
	if s.alone(th) {
		return false
	}
	points := s.cfg.Points
	if points&PointMem != 0 {
		s.contend(th, a)
		return !(a.op == trace.OpUnlock && s.merges(th.arg(0))) && s.pointAllowed(th, s.callSite(th))
	}
	return points&a.point != 0 && s.pointAllowed(th, s.callSite(th))
}

// stepOp carries out the operation at which a thread stands and lets it run on.
func (s *System) stepOp(th *thread, tr *trace.Transition, c trace.Choice) error {
	if isQuiet(th.role) {
		return s.stepCall(th, tr)
	}
	if th.role == image.ProcessExit {
		return s.exitProcess(th, tr, int(int32(th.arg(0))))
	}
	var v verdict
	var err error
	if acts[th.role].how == allocator {
		v, err = s.performHeap(th, tr)
	} else if s.possible(th) {
		v, err = s.perform(th, tr, c)
	} else {
		v, err = s.timeOut(th, tr)
	}
	if err != nil || v == stay {
		return err
	}
	allow := uint32(0)
	if v == passAllow {
		allow = 1
	}
	return s.advance(th, tr, allow)
}

// ret makes a trusted function return v to its caller.
func (s *System) ret(th *thread, v uint64) {
	if s.roles[th.regs.RIP].C11 {
		v = c11Result(v)
	}
	th.insns++ // landgo carried a function out: schedules name the states on both sides
	th.regs.RIP = s.machine.Read64(th.regs.RSP)
	th.regs.RSP += 8
	th.regs.RAX = v
	th.set |= emu.SetRAX | emu.SetRIP | emu.SetRSP
	th.stand = standRun
}

// c11Result translates an errno value into what C11's thread functions return.
func c11Result(v uint64) uint64 {
	switch v {
	case 0:
		return image.ThrdSuccess
	case ebusy:
		return image.ThrdBusy
	case etimedout:
		return image.ThrdTimedOut
	}
	return image.ThrdError
}

// callSite is the address of the call instruction's end: where a thread at a
// function's entry was called from.
func (s *System) callSite(th *thread) uint64 { return s.machine.Read64(th.regs.RSP) }

// timespec reads a struct timespec as nanoseconds.
func (s *System) timespec(p uint64) uint64 {
	return s.machine.Read64(p)*1e9 + s.machine.Read64(p+8)
}

// str reads a C string of at most 512 bytes.
func (s *System) str(p uint64) string {
	var b []byte
	for len(b) < 512 {
		c := s.machine.Read8(p + uint64(len(b)))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
