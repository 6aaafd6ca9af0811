package scheduler

import (
	"slices"

	"landgo/internal/trace"
)

// Memory is private until a second thread touches it, so a thread that waits for
// a variable that no other thread has touched yet,
//
//	while (!stop)
//		n++;
//
// comes to no preemption point, and its step has no end: the others never get to
// touch the variable. A step that has become long is therefore looked at once: the
// others run on from where they stand, the thread itself doesn't, and all of that
// is taken back. It changes nothing but what is known of sharing, which is learned
// for good and only makes points finer. If there is news, the step ends where it is
// and the search starts again (trace.ErrFiner), with the loop's reads as points;
// if not, it goes on, up to the step budget.

const (
	// scoutAfter is how many instructions a thread's step has before it is looked
	// at for the first time; each further look comes after scoutFactor times as
	// many, and one more at the end of the step budget. A guest that computes for
	// long without waiting for another thread pays for a few looks in all.
	scoutAfter  = 1 << 20
	scoutFactor = 4
	// scoutSteps is how many steps the others take in a look, scoutTurn how many
	// one of them takes before the next, scoutSlice how many instructions a step
	// has at most. Together they have no more instructions than the step so far.
	scoutSteps = 4096
	scoutTurn  = 64
	scoutSlice = 1 << 16
	// longestBeginning is how much of a new thread's private beginning is run at
	// its creation. The rest is a step of its own: its creator's may be what it
	// waits for.
	longestBeginning = 1 << 24
)

// cutShort reports whether a step is over that has run for long without a point.
func (s *System) cutShort(th *thread, tr *trace.Transition) bool {
	ran := th.Insns - tr.Begin
	if s.scouting {
		return ran >= scoutSlice
	}
	if s.probing || s.limit != 0 || s.cfg.Fill != nil || th.ID != tr.Thread || s.Alone(th.ID) {
		return false
	}
	next := max(s.scouted[th.ID], scoutAfter)
	if ran < min(next, s.cfg.StepBudget) {
		return false
	}
	s.scouted[th.ID] = next * scoutFactor
	s.spins.hurry()
	if !s.finer {
		s.scout(th, tr, ran)
	}
	return s.finer
}

// scout lets the others run without the thread th, whose step tr is under way, and
// takes that back. What is learned sets System.finer.
func (s *System) scout(th *thread, tr *trace.Transition, budget uint64) {
	was, current, observer, begun := *th, s.current, s.observer, s.instructions
	s.scouting, s.probing, s.observer = true, true, nil
	under := len(s.buffers.under)
	k := s.markAlone()
	s.Save(th.ID)
	th.Stand = StandRun
	s.wakeSpinners(tr)
	var threads []trace.Thread
	other, turn := th.ID, 0
	for n := 0; n < scoutSteps && !s.finer && s.instructions-begun < budget; n++ {
		// Their stores are in memory at once, whatever the model: a buffer has no steps here.
		threads = slices.DeleteFunc(s.Threads(threads[:0]), func(t trace.Thread) bool { return s.isBuffer(t.ID) })
		if other, turn = nextOther(threads, th.ID, other, turn); other == trace.NoThread {
			break
		}
		o := &s.threads[other]
		s.Save(other)
		own := &trace.Transition{Thread: other, Begin: o.Insns}
		if err := s.step(o, own, 0); err != nil || own.End == trace.EndProcess || own.End == trace.EndBug {
			break
		}
		s.wakeSpinners(own)
	}
	s.rewindAlone(k)
	s.marks = s.marks[:len(s.marks)-1]
	s.buffers.under, s.buffers.weak = s.buffers.under[:under], 0
	*th = was
	s.scouting, s.probing, s.observer, s.current = false, false, observer, current
}

// nextOther is the thread, other than self, that goes on after running, which has
// had so many steps of its turn: itself, or the next in a circle.
func nextOther(threads []trace.Thread, self, running trace.TID, turn int) (trace.TID, int) {
	first, later := trace.NoThread, trace.NoThread
	for i := range threads {
		switch t := &threads[i]; {
		case t.ID == self || t.Status != trace.Ready:
		case t.ID == running && turn < scoutTurn && !t.Yielding:
			return running, turn + 1
		case t.ID > running && later == trace.NoThread:
			later = t.ID
		case first == trace.NoThread:
			first = t.ID
		}
	}
	if later == trace.NoThread {
		later = first
	}
	return later, 0
}
