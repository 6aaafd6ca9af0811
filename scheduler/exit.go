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
	return !s.Alone(t) && (s.Undrained(t) || s.known.Exits || s.known.Signalled[uint64(th.ID)] || s.Sharing.lifeIsShared(th.ID) || s.readsEnd(th))
}

// endTeller is a kernel that writes to the guest's memory when a thread ends.
type endTeller interface {
	// EndWord is where it does for a thread whose end landgo carries out, 0 for
	// nowhere. It writes 4 bytes.
	EndWord(t trace.TID) uint64
}

// endWord is where the end of a thread shows in memory (glibc's thread id in the
// control block, which pthread_kill looks at), or 0.
func (s *fixed) endWord(th *thread) uint64 {
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
	return s.Sharing.Shared(th.ID, at, 4)
}

// leaver is a kernel that wants to know of threads whose end landgo carries out.
type leaver interface{ Leave(trace.TID) }

// Exit makes a thread exited. byKernel: its own exit call did it.
func (s *System) Exit(t trace.TID, tr *trace.Transition, byKernel bool) {
	th := &s.threads[t]
	th.Stand = StandExited
	th.Yielding = false
	s.Stacks.bury(th, tr)
	if k, ok := s.kernel.(leaver); ok && !byKernel {
		if at := s.endWord(th); at != 0 {
			s.Sharing.Touch(th.ID, tr, th.Regs.RIP, at, 4, trace.Write|trace.Atomic)
		}
		k.Leave(th.ID)
		s.takeTouched(th, tr, th.Regs.RIP)
	}
	tr.End = trace.EndThread
	tr.Did(trace.Op{Kind: trace.OpExit, Obj: uint64(th.ID), PC: th.Regs.RIP})
}

// outputKernel is a kernel with a word that a call reads which writes to standard output.
type outputKernel interface {
	OutputWord() uint64
}

// SharesOutput reports whether what a thread is about to print may come too late: the
// process was seen to end while other threads were there, of which one prints. Prints
// are then events. They don't depend on each other, but on the end.
func (s *System) SharesOutput(t trace.TID) bool {
	k, ok := s.kernel.(outputKernel)
	return ok && !s.Alone(t) && s.Sharing.sharesTouch(t, &trace.Access{Addr: k.OutputWord(), Size: outputSize})
}

// TouchOutput records that a thread prints.
func (s *System) TouchOutput(t trace.TID, tr *trace.Transition, pc uint64) {
	if k, ok := s.kernel.(outputKernel); ok {
		s.Sharing.touchAs(&s.threads[t], t, tr, pc, &trace.Access{Addr: k.OutputWord(), Size: outputSize, Flags: trace.Library})
	}
}

const outputSize = 8

// endsOutput learns that the process has ended while other threads were there. (The end
// depends on everything as it is: what is missing are points before the prints.) And that
// it has left prints in their buffer: what shows are those that came before a flush.
func (s *System) endsOutput(t trace.TID) {
	_, pointer, lost := s.lib.Unwritten(t)
	if lost && !s.known.Lost {
		s.known.Lost = true
		s.Refine()
	}
	// exit writes what is there; to print by a header's putc_unlocked is a store of the program's.
	if pointer != 0 && !s.Alone(t) && s.machine.TouchTrusted(t, pointer, 8) {
		s.finer = true
	}
	if k, ok := s.kernel.(outputKernel); ok && !s.Alone(t) {
		s.Sharing.sharesTouch(t, &trace.Access{Addr: k.OutputWord(), Size: outputSize, Flags: trace.Write})
	}
}
