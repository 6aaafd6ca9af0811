package cause

import (
	"landgo/internal/result"
	"landgo/scheduler"
)

// Explain puts the cause of a failure into its report, and the mistake that the run shows.
func (cs *Case) Explain(b *result.Bug, f *scheduler.Failure) {
	if (!cs.buffers || !cs.unseen(b)) && lockOrder(b) == "" { // which is told by the locks alone
		cs.collisions(b)
	}
	cs.freeing(b, f)
	cs.burying(b, f)
	cs.spinning(b)
	if !b.BeforeThreads && !cs.buffers {
		b.Mistake = cs.mistake(b, f)
	}
}

// Mistakes of known kinds, in words. Which one a run shows is decided by its events
// alone, never by names. The kinds are tried from the most certain to the least; where
// none fits there is no word.

// mistake names the mistake that a run shows and what to change, or is "".
func (cs *Case) mistake(b *result.Bug, f *scheduler.Failure) string {
	for _, text := range []string{lockOrder(b), cs.spinOrder(b), joinsHolding(b), cs.barrierAlone(b), cs.countedApart(f), cs.kept(b), cs.misused(b, f), cs.lostSignal(b), cs.tooEarly(b), cs.lookedTooEarly(b), cs.handledTooEarly(b), cs.roundMissed(b), cs.untested(f.Thread), cs.othersUntested(f), cs.goneOwner(b, f), cs.goneStack(b, f), cs.changedAfter(f), cs.takenBackLate(), cs.reused(), cs.lastTwice(), cs.unprotected(b, f), cs.letGoBefore()} {
		if text != "" {
			return text
		}
	}
	return ""
}
