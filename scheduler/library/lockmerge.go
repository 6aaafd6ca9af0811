package library

import "landgo/internal/trace"

// Merging lock and unlock with their neighbours (Lipton 1975, reduction). As long as
// threads only lock a mutex, and its owner unlocks it, no other thread can tell the state
// after a lock from the one before. In neither is another operation on it possible. So
// what other threads do between the lock and the next access can be done before the lock:
// a lock moves right. In the same way an unlock moves left. Under PointMem a critical
// section of n accesses is then n steps rather than n+2, and has as many traces.
//
// Other operations see whether the mutex is held at a moment. These are a trylock, a
// timed lock, an unlock by another thread, a lock by a signal's handler, and
// initialisation and destruction while other threads live. The end of the memory that the
// mutex is in does, too: an unlock after it is a bug (System.MemoryEnds). The first of them
// makes the mutex contended from then on. If a lock was merged before, the search starts again
// (trace.ErrFiner).

// merges reports whether lock and unlock of a mutex are merged, and remembers
// that they were.
func (l *objectCalls) merges(mutex uint64) bool {
	if l.opts.NoMerge || !l.core.EveryOperation() || l.known.Contended[mutex] {
		return false
	}
	l.known.Merged[mutex] = true
	return true
}

// contend learns from the operation at whose entry a thread stands, on a mutex
// or (for the core's spin.go) a read-write lock.
func (l *objectCalls) contend(th *thread, a *act) {
	switch a.op {
	case trace.OpLock, trace.OpReadLock, trace.OpWriteLock:
		if a.deadline == 0 && th.Interrupted == 0 {
			return
		}
	case trace.OpTryLock, trace.OpMutexInit, trace.OpMutexDestroy,
		trace.OpTryReadLock, trace.OpTryWriteLock, trace.OpRWInit, trace.OpRWDestroy:
	case trace.OpUnlock, trace.OpWriteUnlock:
		// By a thread that doesn't hold the lock, it sees whether another one does, and
		// which.
		if o := l.objectOf(th.arg(0), a.kind); o.owner == th.ID || index(o.readers, th.ID) >= 0 {
			return
		}
	default:
		return
	}
	m := th.arg(0)
	if !l.known.Contended[m] {
		l.known.Contended[m] = true
		if l.known.Merged[m] || l.core.Sealed() {
			l.core.Refine()
		}
	}
}
