package library

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Read-write locks. glibc's come in three kinds, by an attribute or an initialiser.
// By default readers go on while a writer waits, and PTHREAD_RWLOCK_PREFER_WRITER_NP is
// the same. PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP keeps new readers out as soon
// as a writer waits, a thread too that reads already. So it matters when the writer
// came, and its coming is an event: at such a lock a thread that can't go on goes to
// sleep in a step of its own (trace.OpReadQueue, OpWriteQueue; phaseAsleep). What lets it go on wakes it,
// and it tries again (phaseAgain). Its steps are tries, which are always possible.

// preferWriter is the kind that keeps readers out, in glibc's numbers.
const preferWriter = 2

// keepsOut reports whether a writer that waits keeps readers out of a lock.
func (s *objectCalls) keepsOut(o *object) bool {
	return s.shapes != nil && s.libc == elffile.Glibc && o.flags == preferWriter
}

// rwPossible reports whether the operation on a read-write lock at which a thread
// stands is possible.
func (s *objectCalls) rwPossible(th *thread, o *object) bool {
	if s.keepsOut(o) {
		return th.phase != phaseAsleep
	}
	if s.hasItself(th, o) {
		return !s.hangs(th, o)
	}
	return s.rwFree(th, o)
}

// rwFree reports whether a thread can have the read-write lock at which it stands.
func (s *objectCalls) rwFree(th *thread, o *object) bool {
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
func (s *objectCalls) hasItself(th *thread, o *object) bool {
	return o.owner == th.ID || acts[th.role].op == trace.OpWriteLock && index(o.readers, th.ID) >= 0
}

// hangs reports whether a thread that is in its own way waits until its time is over.
// glibc knows the writer, and refuses; without a time limit it is a misuse.
func (s *objectCalls) hangs(th *thread, o *object) bool {
	return th.timed && !(s.libc == elffile.Glibc && o.owner == th.ID)
}

func (s *objectCalls) performRW(th *thread, tr *trace.Transition, o *object) (scheduler.Verdict, error) {
	op := acts[th.role].op
	defer s.settle(o)
	switch op {
	case trace.OpRWInit:
		s.did(th, tr, op, o, 0)
		flags := s.rwAttr(th, tr, th.arg(1))
		s.initialise(o)
		o.flags = flags
	case trace.OpRWDestroy:
		s.did(th, tr, op, o, 0)
		s.destroy(o)
	case trace.OpReadLock, trace.OpTryReadLock:
		if !s.rwFree(th, o) {
			return s.rwRefused(th, tr, o, trace.OpTryReadLockFail)
		}
		s.did(th, tr, s.rwTry(o, op), o, 0)
		o.readers = with(o.readers, th.ID)
		th.phase = phaseEntry
	case trace.OpWriteLock, trace.OpTryWriteLock:
		if !s.rwFree(th, o) {
			return s.rwRefused(th, tr, o, trace.OpTryWriteLockFail)
		}
		s.did(th, tr, s.rwTry(o, op), o, 0)
		o.owner = th.ID
		s.leaveQueue(th, o)
	case trace.OpWriteUnlock:
		if o.owner == th.ID {
			s.did(th, tr, trace.OpWriteUnlock, o, 0)
			o.owner = trace.NoThread
			if th.role == profile.RWDowngrade { // at once, before any writer
				s.did(th, tr, trace.OpReadLock, o, 0)
				o.readers = with(o.readers, th.ID)
			}
		} else {
			s.did(th, tr, trace.OpReadUnlock, o, 0)
			o.readers = without(o.readers, index(o.readers, th.ID))
		}
		s.wakeQueue(tr, o)
		s.ret(th, 0)
		return s.afterRelease(th), nil
	}
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// rwRefused ends a try that fails, or has the thread wait.
func (s *objectCalls) rwRefused(th *thread, tr *trace.Transition, o *object, fail trace.OpKind) (scheduler.Verdict, error) {
	switch op := acts[th.role].op; {
	case op == trace.OpTryReadLock, op == trace.OpTryWriteLock:
		s.did(th, tr, fail, o, 0)
		return s.refuse(th, tr, ebusy)
	case o.owner == th.ID:
		s.did(th, tr, fail, o, 0)
		return s.refuse(th, tr, edeadlk)
	case op == trace.OpReadLock:
		s.did(th, tr, trace.OpReadQueue, o, 0)
	default:
		s.did(th, tr, trace.OpWriteQueue, o, 0)
		if index(o.waiters, th.ID) < 0 {
			o.waiters = with(o.waiters, th.ID)
		}
	}
	th.Insns++
	th.Stand, th.phase = scheduler.StandOp, phaseAsleep
	return scheduler.Stay, nil
}

// leaveQueue ends a writer's wait.
func (s *objectCalls) leaveQueue(th *thread, o *object) {
	th.phase = phaseEntry
	if i := index(o.waiters, th.ID); i >= 0 {
		o.waiters = without(o.waiters, i)
	}
}

// wakeQueue lets the threads try again that sleep at a lock and could have it now.
func (s *objectCalls) wakeQueue(tr *trace.Transition, o *object) {
	if !s.keepsOut(o) {
		return
	}
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || th.Stand != scheduler.StandOp || th.phase != phaseAsleep || th.arg(0) != o.addr || !s.rwFree(th, o) {
			continue
		}
		s.core.Save(th.ID)
		th.phase = phaseAgain
		tr.Wakes = append(tr.Wakes, th.ID)
	}
}

// giveUpQueue ends the wait of a thread whose time is over.
func (s *objectCalls) giveUpQueue(th *thread, tr *trace.Transition) {
	o := s.use(th.arg(0), kindRWLock)
	s.leaveQueue(th, o)
	s.wakeQueue(tr, o)
	s.settle(o)
}

// rwAttr is the kind that a read-write lock's attribute object asks for.
func (s *objectCalls) rwAttr(th *thread, tr *trace.Transition, attr uint64) uint32 {
	if attr == 0 || s.shapes == nil || s.libc != elffile.Glibc {
		return 0
	}
	return s.door(th, tr).read32(attr)
}

// rwTry is the kind of an operation on a read-write lock: at one that prefers writers
// it is a try.
func (s *objectCalls) rwTry(o *object, op trace.OpKind) trace.OpKind {
	switch {
	case !s.keepsOut(o):
	case op == trace.OpReadLock:
		return trace.OpTryReadLock
	case op == trace.OpWriteLock:
		return trace.OpTryWriteLock
	}
	return op
}
