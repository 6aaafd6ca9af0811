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
// reaches no preemption point, and its step has no end: the others never get to
// touch the variable. A step that has become long is therefore looked at once: the
// others run on from where they stand, the thread itself doesn't, and all of that
// is taken back. It changes nothing but what is known of sharing, which is learned
// for good and only makes points finer. If there is news, the step ends where it is
// and the search starts again (trace.ErrFiner), with the loop's reads as points. If
// not, it goes on, up to the step budget.

const (
	// scoutAfter is how many instructions a thread's step has before it is looked
	// at for the first time. Each further look comes after scoutFactor times as
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

// scouts looks what other threads would do in a long step.
type scouts struct {
	in       *present
	seen     *seen
	learning *learning
	attempt  *attempt
	spins    *spinFinder
	trials   *trials
	buffers  *buffers
	threads  func([]trace.Thread) []trace.Thread // System.Threads
	// scouted is the length of each thread's steps after which scouting is done again.
	scouted map[trace.TID]uint64
}

// cutShort reports whether a step is over that has run for long without a point.
func (h *scouts) cutShort(th edit, tr *trace.Transition) bool {
	ran := th.Insns - tr.Begin
	if h.attempt.scouting {
		return ran >= scoutSlice
	}
	if h.attempt.probing || h.in.limit != 0 || h.in.cfg.Fill != nil || th.ID != tr.Thread || h.in.Alone(th.ID) {
		return false
	}
	next := max(h.scouted[th.ID], scoutAfter)
	if ran < min(next, h.in.cfg.StepBudget) {
		return false
	}
	h.scouted[th.ID] = next * scoutFactor
	h.spins.hurry()
	if !h.learning.finer {
		h.scout(th, tr, ran)
	}
	return h.learning.finer
}

// scout lets the others run without the thread th, whose step tr is under way, and
// takes that back. News sets learning.finer.
func (h *scouts) scout(th edit, tr *trace.Transition, budget uint64) {
	current, observer, begun := h.attempt.current, h.in.observer, h.seen.record.Instructions
	h.attempt.scouting, h.attempt.probing, h.in.observer = true, true, nil
	under := len(h.buffers.under)
	k := h.in.aside()
	h.in.Save(th.ID)
	th.Stand = StandRun
	h.in.wakeSpinners(tr)
	var threads []trace.Thread
	other, turn := th.ID, 0
	for n := 0; n < scoutSteps && !h.learning.finer && h.seen.record.Instructions-begun < budget; n++ {
		// Their stores are in memory at once, whatever the model: a buffer has no steps here.
		threads = slices.DeleteFunc(h.threads(threads[:0]), func(t trace.Thread) bool { return h.in.isBuffer(t.ID) })
		if other, turn = nextOther(threads, th.ID, other, turn); other == trace.NoThread {
			break
		}
		o := h.in.edit(other)
		own := &trace.Transition{Thread: other, Begin: o.Insns}
		if err := h.trials.step(o, own, 0); err != nil || own.End == trace.EndProcess || own.End == trace.EndBug {
			break
		}
		h.in.wakeSpinners(own)
	}
	h.in.takeBack(k)
	h.buffers.under, h.buffers.weak = h.buffers.under[:under], 0
	h.attempt.scouting, h.attempt.probing, h.in.observer, h.attempt.current = false, false, observer, current
}

// nextOther is the thread, other than self, that goes on after running, which has had this many
// steps of its turn: itself, or the next in a circle.
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
