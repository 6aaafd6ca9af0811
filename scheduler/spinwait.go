package scheduler

import (
	"math/bits"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// Threads that wait in spins, and what lets them go. The finder of spins is in spin.go.

// spinOn makes a thread wait for a change of what its loop reads.
func (s *state) spinOn(th edit, reads []trace.Access) {
	th.spinStand, th.idles, th.whole, th.parked, th.assumes = th.Stand, false, false, false, false
	th.Stand, th.Waits = StandSpin, spins.Ordered(reads)
}

// wakeSpinners lets the threads go whose loops read what a step changed.
func (s *present) wakeSpinners(tr *trace.Transition) {
	advances := advances(tr)
	for t := range s.mayStandInSpin {
		th := &s.threads[t]
		if advances && th.whole {
			s.edit(th.ID).whole = false
		}
		if th.Stand == StandSpin && th.Exists && th.ID != tr.Thread && !(tr.Updates && tr.Of == th.ID) && disturbs(tr, th.Waits) {
			if e := s.edit(th.ID); th.whole {
				e.parked = true
			} else {
				e.Stand = th.spinStand
			}
		}
	}
}

// mayStandInSpin yields the threads that may stand in a spin, by TID: those that did when they were
// described, and those whose state has changed since.
func (s *present) mayStandInSpin(yield func(trace.TID) bool) {
	l := &s.listing
	if l.void || s.cfg.Buffers { // none are described here
		for i := range s.threads {
			if !yield(trace.TID(i)) {
				return
			}
		}
		return
	}
	for i := range l.stale {
		for w := l.stale[i] | l.spins[i]; w != 0; w &= w - 1 {
			if !yield(trace.TID(i*64 + bits.TrailingZeros64(w))) {
				return
			}
		}
	}
}

// disturbs is spins.Disturbs, for loops that look at the clock too: they go on when time passes.
func disturbs(tr *trace.Transition, waits []trace.Access) bool {
	for i := range tr.Ops {
		if tr.Ops[i].Kind == trace.OpAdvance && slices.ContainsFunc(waits, isClock) {
			return true
		}
	}
	return spins.Disturbs(tr, waits)
}
