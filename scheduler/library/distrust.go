package library

import (
	"landgo/internal/image/profile"
)

// distrust leaves the functions on threads and locks to the guest's own code,
// as if they were the user's: their inside is ordinary, with futex calls as the
// only operations. It is for good.
//
// It happens when a guest
//   - cancels a thread,
//   - uses a robust mutex, or one whose priority protects it (the kernel may refuse that),
//   - waits with a deadline that may run out at any time, or, on a condition variable,
//     one that has passed, or
//   - tells the kernel of another word to clear at a thread's end, or of other robust futexes
//     (the core's distrustAfter).
//
// The guest's own code knows what those do to a thread that waits; landgo's model of the
// functions doesn't. The search then starts again (trace.ErrFiner).
func (l *Library) distrust() {
	l.distrusted = true
	l.known.Native = true
	for addr, b := range l.roles {
		if b.Own {
			continue // tested anyway
		}
		if isNamed(b.Role) {
			continue // of files that landgo's kernel hasn't got
		}
		if namesThread(b.Role) {
			continue // whether the thread is there is looked at still
		}
		switch acts[b.Role].how {
		case quietly, watched, allocator, ending, property:
		case noted: // exit still runs what the guest has registered
		default:
			delete(l.roles, addr)
		}
	}
}

// Distrust implements Lives.
func (l *Library) Distrust() bool {
	if l.distrusted {
		return false
	}
	l.distrust()
	return true
}

// distrustFor reports whether the call at which a thread stands needs the
// guest's own code, and sees to it.
func (l *Library) distrustFor(th *thread) bool {
	switch d := acts[th.role].deadline; {
	case l.opts.AnyTimeout && d != 0 && th.arg(int(d)) != 0:
		// That a timed wait may run out at any time is a choice of the kernel's.
		l.distrust()
		l.core.Refine()
		return true
	case l.waitsInVain(th, &acts[th.role]):
		l.distrust()
		l.core.Refine()
		return true
	}
	switch th.role {
	case profile.Cancel:
	case profile.MutexLock, profile.MutexTryLock, profile.MutexTimedLock, profile.MutexClockLock, profile.MutexUnlock:
		if o := l.objectOf(th.arg(0), kindMutex); o.mtype&mutexRobust == 0 && !l.hasProtocol(&o, protects) {
			return false
		}
	default:
		return false
	}
	l.distrust()
	l.core.Refine()
	return true
}
