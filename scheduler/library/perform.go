package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// perform carries out the trusted operation at which a thread stands, which is
// possible, with outcome c. Where it takes several steps (a condition wait, a
// barrier), the thread then stands at the next of them.
func (s *Library) perform(th edit, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if failed, err := s.failMisuse(th, tr); failed {
		return scheduler.Stay, err
	}
	if th.phase == phaseReacquire {
		return s.reacquire(th, tr)
	}
	if isNamed(th.role) {
		return s.named.perform(th, tr)
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
		return s.performSem(th, tr, s.use(obj, kindSem), c)
	case kindRWLock:
		return s.rwLocks.perform(th, tr, s.use(obj, kindRWLock))
	case kindBarrier:
		if th.phase == phaseLeave {
			return s.leaveBarrier(th, tr, obj)
		}
		return s.performBarrier(th, tr, s.use(obj, kindBarrier))
	case kindOnce:
		return s.performOnce(th, tr, s.use(obj, kindOnce))
	}
	return s.lives.perform(th, tr)
}
