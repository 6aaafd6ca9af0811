package scheduler

// A thread can wait in a loop and write meanwhile: it counts its looks where others see
// that, or posts a semaphore until all have gone. No turn of such a loop is like the one
// before, so it is no exact spin, and while no other thread is let in it has no end. A
// search that prefers not to switch threads never ends such an execution.
//
// So the turns of a loop can be taken as yields, on demand (YieldRounds). A switch there is
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

// rounds is how a thread goes round a loop.
type rounds struct {
	at    uint64 // the instruction that it comes back to
	turns uint32
	since uint32 // its steps since it was there
}

// YieldRounds has the turns of long loops count as yields from now on.
func (s *System) YieldRounds() { s.cfg.YieldRounds = true }

// round takes in where a thread stands after a step.
func (s *System) round(th edit) {
	if !s.cfg.YieldRounds || !th.Live() {
		return
	}
	r := &th.rounds
	r.since++
	switch pc := s.standPC(th.thread); {
	case pc == r.at:
		r.turns, r.since = r.turns+1, 0
		if r.turns > roundsFirst {
			th.Yielding = true
		}
	case r.since > roundSteps:
		*r = rounds{at: pc}
	}
}
