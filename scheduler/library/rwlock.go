package library

import (
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Read-write locks. glibc's come in three kinds, by an attribute or an initialiser. By default
// readers go on while a writer waits, and PTHREAD_RWLOCK_PREFER_WRITER_NP is the same.
// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP keeps new readers out as soon as a writer waits, a
// thread too that reads already. So it matters when the writer came, and its coming is an event. At
// such a lock a thread that can't go on goes to sleep in a step of its own (trace.OpReadQueue,
// OpWriteQueue; phaseAsleep). The operation that lets it go on wakes it, and it tries again
// (phaseAgain). Its steps are tries, which are always possible.

// preferWriter is the kind that keeps readers out, in glibc's numbers.
const preferWriter = 2

// rwLocks are the read-write locks.
type rwLocks struct {
	guest  *guest
	models *models
	calls  *calls
}

// keepsOut reports whether a writer that waits keeps readers out of a lock.
func (w *rwLocks) keepsOut(o *object) bool {
	return w.guest.shapes != nil && w.guest.libc == elffile.Glibc && o.flags == preferWriter
}

// possible reports whether the operation on a read-write lock at which a thread
// stands is possible.
func (w *rwLocks) possible(th *thread, o *object) bool {
	if w.keepsOut(o) {
		return th.phase != phaseAsleep
	}
	if w.hasItself(th, o) {
		return !w.hangs(th, o)
	}
	return w.free(th, o)
}

// free reports whether a thread can have the read-write lock at which it stands.
func (w *rwLocks) free(th *thread, o *object) bool {
	if o.owner != trace.NoThread {
		return false
	}
	switch acts[th.role].op {
	case trace.OpReadLock, trace.OpTryReadLock:
		return len(o.waiters) == 0
	}
	return len(o.readers) == 0 && (len(o.waiters) == 0 || index(o.waiters, th.ID) >= 0)
}

// hasItself reports whether the thread is in its own way.
func (w *rwLocks) hasItself(th *thread, o *object) bool {
	return o.owner == th.ID || acts[th.role].op == trace.OpWriteLock && index(o.readers, th.ID) >= 0
}

// hangs reports whether a thread that is in its own way waits until its time is over.
// glibc knows the writer, and refuses; without a time limit it is a misuse.
func (w *rwLocks) hangs(th *thread, o *object) bool {
	return th.timed && !(w.guest.libc == elffile.Glibc && o.owner == th.ID)
}

func (w *rwLocks) perform(th edit, tr *trace.Transition, o objectEdit) (scheduler.Verdict, error) {
	op := acts[th.role].op
	defer w.models.settle(o)
	switch op {
	case trace.OpRWInit:
		w.calls.did(th.thread, tr, op, o.object, 0)
		flags := w.attribute(th.thread, tr, th.arg(1))
		w.models.initialise(o)
		o.flags = flags
	case trace.OpRWDestroy:
		w.calls.did(th.thread, tr, op, o.object, 0)
		w.models.destroy(o)
	case trace.OpReadLock, trace.OpTryReadLock:
		if !w.free(th.thread, o.object) {
			return w.refused(th, tr, o, trace.OpTryReadLockFail)
		}
		w.calls.did(th.thread, tr, w.try(o.object, op), o.object, 0)
		o.readers = with(o.readers, th.ID)
		th.phase = phaseEntry
	case trace.OpWriteLock, trace.OpTryWriteLock:
		if !w.free(th.thread, o.object) {
			return w.refused(th, tr, o, trace.OpTryWriteLockFail)
		}
		w.calls.did(th.thread, tr, w.try(o.object, op), o.object, 0)
		o.owner = th.ID
		w.leaveQueue(th, o)
	case trace.OpWriteUnlock:
		if o.owner == th.ID {
			w.calls.did(th.thread, tr, trace.OpWriteUnlock, o.object, 0)
			o.owner = trace.NoThread
			if th.role == profile.RWDowngrade { // at once, before any writer
				w.calls.did(th.thread, tr, trace.OpReadLock, o.object, 0)
				o.readers = with(o.readers, th.ID)
			}
		} else {
			w.calls.did(th.thread, tr, trace.OpReadUnlock, o.object, 0)
			o.readers = without(o.readers, index(o.readers, th.ID))
		}
		w.wakeQueue(tr, o.object)
		w.guest.ret(th, 0)
		return w.calls.afterRelease(th.thread), nil
	}
	w.guest.ret(th, 0)
	return scheduler.Pass, nil
}

// refused ends a try that fails, or has the thread wait.
func (w *rwLocks) refused(th edit, tr *trace.Transition, o objectEdit, fail trace.OpKind) (scheduler.Verdict, error) {
	switch op := acts[th.role].op; {
	case op == trace.OpTryReadLock, op == trace.OpTryWriteLock:
		w.calls.did(th.thread, tr, fail, o.object, 0)
		return w.calls.refuse(th, tr, abi.EBUSY)
	case o.owner == th.ID:
		w.calls.did(th.thread, tr, fail, o.object, 0)
		return w.calls.refuse(th, tr, abi.EDEADLK)
	case op == trace.OpReadLock:
		w.calls.did(th.thread, tr, trace.OpReadQueue, o.object, 0)
	default:
		w.calls.did(th.thread, tr, trace.OpWriteQueue, o.object, 0)
		if index(o.waiters, th.ID) < 0 {
			o.waiters = with(o.waiters, th.ID)
		}
	}
	th.Insns++
	th.Stand, th.phase = scheduler.StandOp, phaseAsleep
	return scheduler.Stay, nil
}

// leaveQueue ends a writer's wait.
func (w *rwLocks) leaveQueue(th edit, o objectEdit) {
	th.phase = phaseEntry
	if i := index(o.waiters, th.ID); i >= 0 {
		o.waiters = without(o.waiters, i)
	}
}

// wakeQueue lets the threads try again that sleep at a lock and could have it now.
func (w *rwLocks) wakeQueue(tr *trace.Transition, o *object) {
	if !w.keepsOut(o) {
		return
	}
	for i := range w.models.threads {
		th := &w.models.threads[i]
		if !w.models.threads[i].Exists || th.Stand != scheduler.StandOp || th.phase != phaseAsleep || th.arg(0) != o.addr || !w.free(th, o) {
			continue
		}
		w.models.edit(th.ID).phase = phaseAgain
		tr.Wakes = append(tr.Wakes, th.ID)
	}
}

// giveUpQueue ends the wait of a thread whose time is over.
func (w *rwLocks) giveUpQueue(th edit, tr *trace.Transition) {
	o := w.calls.use(th.arg(0), kindRWLock)
	w.leaveQueue(th, o)
	w.wakeQueue(tr, o.object)
	w.models.settle(o)
}

// attribute is the kind that a read-write lock's attribute object asks for.
func (w *rwLocks) attribute(th *thread, tr *trace.Transition, attr uint64) uint32 {
	if attr == 0 || w.guest.shapes == nil || w.guest.libc != elffile.Glibc {
		return 0
	}
	return w.calls.door(th, tr).read32(attr)
}

// try is the kind of an operation on a read-write lock: at one that prefers writers
// it is a try.
func (w *rwLocks) try(o *object, op trace.OpKind) trace.OpKind {
	switch {
	case !w.keepsOut(o):
	case op == trace.OpReadLock:
		return trace.OpTryReadLock
	case op == trace.OpWriteLock:
		return trace.OpTryWriteLock
	}
	return op
}
