package scheduler

import (
	"slices"

	"landgo/internal/trace"
)

// Spins reports whether a thread waits in a loop for a change of what it reads.
func (s *present) Spins(t trace.TID) bool { return s.threads[t].Stand == StandSpin }

// Asleep is the word at which a thread sleeps in a call of the kernel's.
func (s *present) Asleep(t trace.TID) (at uint64, ok bool) {
	th := &s.threads[t]
	if th.Stand != StandSleep || th.pending.Kind != trace.OpFutexWait {
		return 0, false
	}
	return th.pending.Obj, true
}

// Awaited has the reads of the loop in which a thread waits.
func (s *present) Awaited(t trace.TID) []trace.Access { return changeable(s.threads[t].Waits) }

// FirstLocked is the thread that took the spin lock in a word: the one whose locked
// instruction was the first on it since a plain store let it go. It is NoThread where that
// isn't known: what a thread does alone isn't on record, and the first may be one that waits.
func (s *present) FirstLocked(word *trace.Access) trace.TID {
	owner := trace.NoThread
search:
	for i := len(s.steps) - 1; i >= 0; i-- {
		tr := s.steps[i].tr
		for k := len(tr.Accesses) - 1; k >= 0; k-- {
			switch a := &tr.Accesses[k]; {
			case !a.IsWrite() || a.Flags&trace.Buffered != 0 || !a.Overlaps(word):
			case a.Flags&trace.Atomic != 0:
				owner = tr.Thread
			default:
				break search // let go here
			}
		}
	}
	if owner != trace.NoThread && s.Spins(owner) && slices.ContainsFunc(s.Awaited(owner), func(a trace.Access) bool { return a.Overlaps(word) }) {
		return trace.NoThread
	}
	return owner
}
