package scheduler

import (
	"landgo/internal/image"
	"landgo/kernel"
)

// distrust leaves the functions on threads and locks to the guest's own code,
// as if they were the user's: their inside is ordinary, with futex calls as the
// only operations. It is for good.
//
// It happens when a guest cancels a thread, uses a robust mutex, waits with a deadline
// that may run out at any time, or tells the kernel another word to clear at a thread's
// end: what those do to a thread that waits, landgo's model of the functions doesn't know
// and the guest's own code does. The search then starts again (trace.ErrFiner).
func (s *library) distrust() {
	s.distrusted = true
	s.known.Native = true
	for addr, b := range s.roles {
		if b.Own {
			continue // tested anyway
		}
		if isNamed(b.Role) {
			continue // of files that landgo's kernel hasn't got
		}
		switch acts[b.Role].how {
		case quietly, watched, allocator, ending:
		case noted: // exit still runs what the guest has registered
		default:
			delete(s.roles, addr)
		}
	}
}

// Distrust does the same at the root, for a replay of what was found afterwards.
// It reports whether that makes a difference.
func (s *library) Distrust() bool {
	if s.distrusted || s.cfg.Tested {
		return false
	}
	s.distrust()
	for _, w := range s.twins {
		w.lib.distrust()
	}
	return true
}

// distrustAfter sees to it after a system call of the guest's own.
func (s *library) distrustAfter(th *thread, p *kernel.Plan) {
	if p.Name == "set_tid_address" && !th.trusted() && s.entered.Get() != 0 && s.Distrust() {
		s.finer = true
	}
}

// distrustFor reports whether the call at which a thread stands needs the
// guest's own code, and sees to it.
func (s *library) distrustFor(th *thread) bool {
	switch d := acts[th.role].deadline; {
	case s.cfg.AnyTimeout && d != 0 && th.arg(int(d)) != 0:
		// That a timed wait may run out at any time is a choice of the kernel's.
		s.distrust()
		s.finer = true
		return true
	}
	switch th.role {
	case image.Cancel:
	case image.MutexLock, image.MutexTryLock, image.MutexTimedLock, image.MutexClockLock, image.MutexUnlock:
		if s.objectOf(th.arg(0), kindMutex).mtype&mutexRobust == 0 {
			return false
		}
	default:
		return false
	}
	s.distrust()
	s.finer = true
	return true
}
