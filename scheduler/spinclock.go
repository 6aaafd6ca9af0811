package scheduler

import (
	"slices"

	"landgo/internal/trace"
	"landgo/kernel/effect"
)

// A loop that waits and looks at the clock meanwhile (a watchdog, a poll with a limit in
// time) is an exact spin too. As long as no time passes, its turns do the same. It waits
// for a change of what it reads, or of the time. As a timed wait runs out only when no
// other thread can run, time passes for such a loop only then. Else a watchdog of five
// seconds would bite each thread that isn't run for forty turns of its loop, which no
// machine does. Then the thread goes on, and its next look moves the clock. Each time that
// this happens with nothing done between, the clock moves further.
//
// Where other threads run until such a loop ends (a test that goes on for five seconds), no
// execution would end so. One of patience steps shows that, and from then on time passes
// wherever a thread looks.
//
// A loop that does more (it counts its turns, or works in them) isn't such a spin. The
// kernel moves the clock for it after some looks (kernel/linux/time.go).

// patience is how many steps an execution may have while a thread spins at the clock.
const patience = 8192

// hurry has time pass for all loops if the others' steps, or one of them, seem to have no
// end without that.
func (s *spinFinder) hurry() {
	if s.learning.known.Hurried {
		return
	}
	for i := range s.in.threads {
		if th := &s.in.threads[i]; th.Exists && looksAtClock(th) {
			s.learning.known.Hurried, s.learning.finer = true, true
		}
	}
}

// hurryBack is hurry where a schedule can't be followed: the run that it is of may have
// known.
func (s *spinFinder) hurryBack() bool {
	if !s.polled || s.learning.known.Hurried {
		return false
	}
	s.learning.known.Hurried = true
	return true
}

// looksAtClock reports whether the loop in which a thread spins does.
func looksAtClock(th *thread) bool {
	return th.Stand == StandSpin && slices.ContainsFunc(th.Waits, isClock)
}

// changeable has a loop's reads but for the clock's, unless it reads nothing else.
func changeable(waits []trace.Access) []trace.Access {
	if !slices.ContainsFunc(waits, isClock) || !slices.ContainsFunc(waits, func(a trace.Access) bool { return !isClock(a) }) {
		return waits
	}
	return slices.DeleteFunc(slices.Clone(waits), isClock)
}

// nextPoll is the first thread for which time may pass in its loop.
func (s *state) nextPoll() trace.TID {
	for i := range s.threads {
		if th := &s.threads[i]; th.Exists && looksAtClock(th) && th.passes < mostPasses {
			return th.ID
		}
	}
	return trace.NoThread
}

// mostPasses is how often time passes for a thread that does nothing but look: ages.
const mostPasses = 64

// endPolls notes that a step did more than to wait for time to pass.
func (s *spinFinder) endPolls(th edit, tr *trace.Transition) {
	if th.passes == 0 {
		return
	}
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() && a.Flags&trace.Silent == 0 && !s.in.passesTime(a) {
			th.passes = 0
		}
	}
	for _, op := range tr.Ops {
		if op.Kind != trace.OpAdvance && op.Kind != trace.OpSyscall && op.Kind != trace.OpSleep && op.Kind != trace.OpYield {
			th.passes = 0
		}
	}
}

// onlySlept reports whether of the state that isn't guest memory nothing but the clock has changed since
// the log of changes had a length.
func (s *present) onlySlept(logged int) bool {
	if s.machine.Logged() == logged {
		return true
	}
	k, ok := s.kernel.(clockKernel)
	return ok && k.OnlySlept(logged)
}

// advances reports whether a step is one with which time passes, because no thread could run.
func advances(tr *trace.Transition) bool {
	return slices.ContainsFunc(tr.Ops, func(op trace.Op) bool { return op.Kind == trace.OpAdvance })
}

// isClock reports whether an access is to the word that the clock is.
func isClock(a trace.Access) bool { return a.Addr == effect.Clock && a.Flags&trace.Library != 0 }
