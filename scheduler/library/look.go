package library

import (
	"landgo/internal/trace"
)

// If something kept a step from going on, its record has to have that. Without a
// preemption point before an operation the step goes through it where it is
// possible, and ends before it where it isn't. So how far it went depends on the
// object, although it did nothing to it. The same goes for a misuse that only
// another thread's operation makes one (a mutex destroyed while a thread holds it).
// A search that doesn't know of it takes the release for independent of the step
// and never tries the release first. So such a step has a *look* at the object in
// its record, which depends on what changes it, as a failing try does.

// looks are the operations that stand for a look at an object of each kind.
var looks = [...]trace.OpKind{
	kindMutex:   trace.OpTryLockFail,
	kindCond:    trace.OpCondLook,
	kindSem:     trace.OpSemTryWaitFail,
	kindRWLock:  trace.OpTryWriteLockFail,
	kindBarrier: trace.OpBarrierArrive,
	kindOnce:    trace.OpOnceLook,
	kindSpin:    trace.OpTryLockFail,
}

// look records that a thread saw the object of the operation at which it is.
func (l *calls) look(th *thread, tr *trace.Transition) {
	a := &acts[th.role]
	if !onObject(th.role) {
		return // a join: its point is always there
	}
	k := looks[a.kind]
	if a.op == trace.OpReadLock {
		k = trace.OpTryReadLockFail // only a writer is in its way
	}
	o := l.objectOf(th.arg(0), a.kind)
	l.did(th, tr, k, &o, 0)
}
