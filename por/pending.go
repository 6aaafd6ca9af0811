package por

import (
	"landgo/por/relation"
	"landgo/trace"
)

// What was still to come at the end of an execution takes part in races too.

// pendingRaces calls f for each race of an event c with an operation that is
// blocked at the end of the execution, as if it came next: b is the step that
// could have come before c, row the clock of what it needs before it.
// (A spinning thread has none: all writes of what it read came before.)
func (x *explorer) pendingRaces(f func(c int32, b *branch, row []int32)) {
	if x.opts.fault == noPending {
		return
	}
	for k := range x.threads {
		t := &x.threads[k]
		if t.Status != trace.Blocked || !relation.Acquires(t.Pending.Kind) {
			continue
		}
		x.pendingRace(t, f)
	}
}

// givenUp does the same for a wait that is about to run out: what it waits for
// in vain could have come earlier, and no end of the execution will see it
// pending. It is told of the state in which nobody could run.
func (x *explorer) givenUp(f func(c int32, b *branch, row []int32)) {
	if x.opts.fault == noPending {
		return
	}
	for k := range x.threads {
		if t := &x.threads[k]; t.Expiring && relation.Acquires(t.Pending.Kind) {
			x.pendingRace(t, f)
		}
	}
}

func (x *explorer) pendingRace(t *trace.Thread, f func(c int32, b *branch, row []int32)) {
	b := x.upcoming(t)
	x.order.Pending(&b.Event, t.Pending, func(c int32, row []int32) { f(c, b, row) })
	x.pool.put(b)
}

// cutSteps calls f for each step that the end of the process, event c, kept
// from being taken.
func (x *explorer) cutSteps(e Ending, f func(c int32, b *branch)) {
	if e != EndedProcess && e != EndedBug || x.at >= 0 || x.opts.fault == noProcessEnd {
		return
	}
	c := int32(x.depth() - 1)
	for k := range x.threads {
		t := &x.threads[k]
		if t.Status != trace.Ready || t.ID == x.nodes[c].cur.Thread {
			continue
		}
		b := x.upcoming(t)
		f(c, b)
		x.pool.put(b)
	}
}

// leavesOut reports whether the reversal of a race isn't looked at: the search is
// to stop, or fault noProcessEnd says so.
func (x *explorer) leavesOut(r relation.Race) bool {
	return x.opts.fault == noProcessEnd && x.nodes[r.Second].cur.Global || x.pollWithin(int(r.Second-r.First))
}

// upcoming is the next step of thread t, as far as it is known.
func (x *explorer) upcoming(t *trace.Thread) *branch {
	b := x.pool.get()
	b.Begin(t)
	b.blur(x.opts.OneEvent && (x.opts.Unmerged || t.Pending.Kind != trace.OpLock))
	return b
}

// beginning is what is known of thread t's next transition.
func (x *explorer) beginning(t *trace.Thread) *branch {
	b := x.upcoming(t)
	b.Wild = false
	if k := x.spin[t.ID]; k != 0 {
		b.Waits = x.waits[x.spins[k-1].lo:x.spins[k-1].hi]
	}
	return b
}
