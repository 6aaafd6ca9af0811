package library

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// Drains implements Memory: which operations the C library makes by locked instructions,
// or by calls of the kernel, so that they empty the thread's store buffer (glibc's nptl and
// musl's src/thread). What fails, or finds nothing to do, is found out by loads alone.
func (s *Library) Drains(t trace.TID) bool {
	th := &s.threads[t]
	if th.phase != phaseEntry {
		return true
	}
	if acts[th.role].how == allocator {
		return false
	}
	switch th.role {
	case profile.Once:
		return !s.objectOf(th.arg(0), kindOnce).done
	case profile.CondSignal, profile.CondBroadcast:
		return s.libc != elffile.Glibc || len(s.objectOf(th.arg(0), kindCond).waiters) > 0
	case profile.SemTryWait:
		return s.objectOf(th.arg(0), kindSem).value > 0
	case profile.SemGetValue:
		return false
	case profile.RWTryReadLock, profile.RWTryWriteLock:
		return s.rwFree(th, s.objectOf(th.arg(0), kindRWLock))
	case profile.TryJoin:
		u := s.threadOf(th.arg(0))
		return u == trace.NoThread || !s.threads[u].Live()
	}
	return true
}
