package spins

// A thread can wait in a loop and write meanwhile: it counts its looks where others see
// that, or posts a semaphore until all have gone. No turn of such a loop is like the one
// before, so it is no exact spin, and while no other thread is let in it has no end. A
// search that prefers not to switch threads never ends such an execution.
//
// So the turns of a loop can be taken as yields, on demand (scheduler.System.YieldRounds). A switch there is
// no preemption then, and a fair bound ends the loop. A search by preemptions explores all
// that it does otherwise, and more, as far as the fair bound goes.
//
// A turn is known by where the thread stands alone: it comes again to the same instruction
// within roundSteps of its own steps. So which turns are yields is a matter of the thread,
// and not of the order of threads.

const (
	// roundSteps is the longest turn, in steps, and roundsFirst how many a loop has that
	// are no yields.
	roundSteps, roundsFirst = 64, 32
)

// Rounds is how a thread goes round a loop.
type Rounds struct {
	at    uint64 // the instruction that it comes back to
	turns uint32
	since uint32 // its steps since it was there
}

// Reaches takes in that a thread stands at an instruction after a step. It reports whether that
// was a turn that counts as a yield.
func (r Rounds) Reaches(pc uint64) (next Rounds, yields bool) {
	r.since++
	switch {
	case pc == r.at:
		r.turns, r.since = r.turns+1, 0
		yields = r.turns > roundsFirst
	case r.since > roundSteps:
		r = Rounds{at: pc}
	}
	return r, yields
}
