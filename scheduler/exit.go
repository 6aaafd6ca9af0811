package scheduler

import "landgo/internal/trace"

// The end of a thread, as far as others can tell.

// ExitIsStep reports whether a thread's end is a step of its own. It orders what
// the thread did before what comes after its join, and races with nothing, so
// it may be part of the thread's last step; unless others try to join it, and
// see that it still lives after it did all else, or send it a signal then. The
// first thread that does has the search start again.
func (s *System) ExitIsStep(t trace.TID) bool {
	th := &s.threads[t]
	return !s.Alone(t) && (s.known.Exits || s.known.Signalled[uint64(th.ID)] || s.lifeIsShared(th.ID) || s.readsEnd(th))
}

// endTeller is a kernel that writes to the guest's memory when a thread ends.
type endTeller interface {
	// EndWord is where it does for a thread whose end landgo carries out, 0 for
	// nowhere. It writes 4 bytes.
	EndWord(t trace.TID) uint64
}

// endWord is where the end of a thread shows in memory (glibc's thread id in the
// control block, which pthread_kill looks at), or 0.
func (s *System) endWord(th *thread) uint64 {
	if k, ok := s.kernel.(endTeller); ok {
		return k.EndWord(th.ID)
	}
	return 0
}

// readsEnd reports whether others look where the end of a thread shows.
func (s *System) readsEnd(th *thread) bool {
	at := s.endWord(th)
	if at == 0 || !s.EveryOperation() {
		return false
	}
	return s.Shared(th.ID, at, 4)
}

// leaver is a kernel that wants to know of threads whose end landgo carries out.
type leaver interface{ Leave(trace.TID) }

// Exit makes a thread exited. byKernel: its own exit call did it.
func (s *System) Exit(t trace.TID, tr *trace.Transition, byKernel bool) {
	th := &s.threads[t]
	th.Stand = StandExited
	th.Yielding = false
	s.bury(th, tr)
	if k, ok := s.kernel.(leaver); ok && !byKernel {
		if at := s.endWord(th); at != 0 {
			s.Touch(th.ID, tr, th.Regs.RIP, at, 4, trace.Write|trace.Atomic)
		}
		k.Leave(th.ID)
		s.takeTouched(th, tr, th.Regs.RIP)
	}
	tr.End = trace.EndThread
	tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(th.ID), PC: th.Regs.RIP})
}
