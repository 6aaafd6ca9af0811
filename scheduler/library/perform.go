package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// perform carries out the trusted operation at which a thread stands, which is
// possible, with outcome c. Where it takes several steps (a condition wait, a
// barrier), the thread then stands at the next of them.
func (s *Library) perform(th *thread, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if failed, err := s.failMisuse(th, tr); failed {
		return scheduler.Stay, err
	}
	if th.phase == phaseReacquire {
		return s.reacquire(th, tr)
	}
	if isNamed(th.role) {
		return s.performNamed(th, tr)
	}
	obj := th.arg(0)
	switch acts[th.role].kind {
	case kindMutex, kindSpin:
		if onObject(th.role) {
			return s.performMutex(th, tr, s.use(obj, acts[th.role].kind))
		}
	case kindCond:
		return s.performCond(th, tr, s.use(obj, kindCond), c)
	case kindSem:
		return s.performSem(th, tr, s.use(obj, kindSem))
	case kindRWLock:
		return s.performRW(th, tr, s.use(obj, kindRWLock))
	case kindBarrier:
		if th.phase == phaseLeave {
			return s.leaveBarrier(th, tr, obj)
		}
		return s.performBarrier(th, tr, s.use(obj, kindBarrier))
	case kindOnce:
		return s.performOnce(th, tr, s.use(obj, kindOnce))
	}
	return s.performThread(th, tr)
}

// use finds or makes an object that is about to change.
func (s *Library) use(addr uint64, kind objectKind) *object {
	o := s.objectOf(addr, kind)
	s.saveObject(o)
	return o
}

// did records an operation on an object.
func (s *Library) did(th *thread, tr *trace.Transition, k trace.OpKind, o *object, arg uint64) {
	s.touchesObject(th, o)
	tr.Did(trace.Op{Kind: k, Obj: o.addr, Size: s.sizes[o.kind], Arg: arg, PC: s.callSite(th)})
}

// afterRelease says whether there is a preemption point after an operation
// that lets others go. With PointMem there is one before the next access
// anyway, and what lies between is private.
func (s *Library) afterRelease(th *thread) scheduler.Verdict {
	if !acts[th.role].release || th.quiet.on || !s.core.Coarse() || s.cfg.Points&(trace.PointUnlock|trace.PointMem) == 0 ||
		s.core.Alone(th.ID) || !s.core.PointAllowed(th.ID, th.Regs.RIP) {
		return scheduler.Pass
	}
	return scheduler.Stay
}
