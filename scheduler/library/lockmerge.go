package library

import "landgo/internal/trace"

// Merging lock and unlock with their neighbours (Lipton 1975, reduction): as
// long as a mutex is only ever locked, and unlocked by its owner, no other thread can tell a state in
// which a thread has just taken it from the one before (no other operation on
// it is possible or has a result in either), so what others do between the
// lock and the next access can be done before the lock: a lock moves right. In
// the same way an unlock moves left. Under PointMem a critical section of n
// accesses is then n steps rather than n+2, and its traces are the same in
// number.
//
// What else can be done to a mutex (trylock, a timed lock, an unlock by another
// thread, a lock by a signal's handler, initialisation and destruction while others live) sees whether it is held at a moment. The
// first such operation makes the mutex contended for good, and if one was
// merged before, the search starts again (trace.ErrFiner).

// merges reports whether lock and unlock of a mutex are merged, and remembers
// that they were.
func (s *Library) merges(mutex uint64) bool {
	if s.opts.NoMerge || !s.core.EveryOperation() || s.known.Contended[mutex] {
		return false
	}
	s.known.Merged[mutex] = true
	return true
}

// contend learns from the operation at whose entry a thread stands, on a mutex
// or (for the core's spin.go) a read-write lock.
func (s *Library) contend(th *thread, a *act) {
	switch a.op {
	case trace.OpLock, trace.OpReadLock, trace.OpWriteLock:
		if a.deadline == 0 && th.Interrupted == 0 {
			return
		}
	case trace.OpTryLock, trace.OpMutexInit, trace.OpMutexDestroy,
		trace.OpTryReadLock, trace.OpTryWriteLock, trace.OpRWInit, trace.OpRWDestroy:
	case trace.OpUnlock, trace.OpWriteUnlock:
		// By another than who holds it, it sees whether the lock is held, and by
		// whom.
		if o := s.objectOf(th.arg(0), a.kind); o.owner == th.ID || index(o.readers, th.ID) >= 0 {
			return
		}
	default:
		return
	}
	m := th.arg(0)
	if !s.known.Contended[m] {
		s.known.Contended[m] = true
		if s.known.Merged[m] || s.core.Sealed() {
			s.core.Refine()
		}
	}
}
