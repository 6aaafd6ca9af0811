package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// perform carries out the trusted operation at which a thread stands, which is
// possible, with outcome c. Where it takes several steps (a condition wait, a
// barrier), the thread then stands at the next of them.
func (l *Library) perform(th edit, tr *trace.Transition, c trace.Choice) (scheduler.Verdict, error) {
	if failed, err := l.failMisuse(th, tr); failed {
		return scheduler.Stay, err
	}
	if th.phase == phaseReacquire {
		return l.reacquire(th, tr)
	}
	if isNamed(th.role) {
		return l.named.perform(th, tr)
	}
	obj := th.arg(0)
	switch acts[th.role].kind {
	case kindMutex, kindSpin:
		if onObject(th.role) {
			return l.performMutex(th, tr, l.use(obj, acts[th.role].kind))
		}
	case kindCond:
		return l.performCond(th, tr, l.use(obj, kindCond), c)
	case kindSem:
		return l.performSem(th, tr, l.use(obj, kindSem), c)
	case kindRWLock:
		return l.rwLocks.perform(th, tr, l.use(obj, kindRWLock))
	case kindBarrier:
		if th.phase == phaseLeave {
			return l.leaveBarrier(th, tr, obj)
		}
		return l.performBarrier(th, tr, l.use(obj, kindBarrier))
	case kindOnce:
		return l.performOnce(th, tr, l.use(obj, kindOnce))
	}
	return l.lives.perform(th, tr)
}
