package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// earlyFlush has search "bounded" leave out executions in which a store buffer's update comes
// later than it could. An update costs nothing, wherever it is. So an execution in which
// an update is right behind an independent step spends what that one spends in which it is right
// before. Only steps that an update can't be moved before have it behind them, and of neighbouring
// updates that are independent, that of the buffer with the smaller number comes first.
//
// Sound: to move an update to an earlier place ends after finitely many moves. (The number of pairs
// of a thread's step and a later update falls; or it stays, and the updates' numbers
// come earlier in the order of words.) Each move keeps the trace, and what is spent. So for each
// execution within the bounds there is one that can't be moved any more, with the same end. All its
// prefixes are such, too, and none of them is left out. The order of threads' steps stays as
// it is: what they spend isn't the same in another. (Only a poll may be lost with a move: one that a thread
// makes as its own store, on which it waits, has left the buffer. It finds the same again.)
//
// What is spent stays the same if the update ends no spin of a thread that the step's cost depends on.
// For preemptions and switches that is the thread that was left, for delays and the fair bound any. What
// waits for its own buffer costs the same however early the update came (meter.go).
type earlyFlush struct {
	path   *path
	freely bool // fault freeMoves
	anyone bool // what a step costs depends on all threads that can run
	states []flushState
	step   relation.Step // the update that is looked at
}

// flushState is a state's facts about the step from it.
type flushState struct {
	left   bool // the thread that ran before may be woken by an update, and then isn't left freely
	wakens bool // so may be some thread
}

func newEarlyFlush(h *handle) *earlyFlush {
	return &earlyFlush{path: h.path, freely: h.opts.fault == freeMoves, anyone: h.meter.limits[1] >= 0 || h.meter.limits[2] >= 0}
}

// enter notes the state of n, the newest.
func (f *earlyFlush) enter(n *node) {
	f.states = atLeast(f.states, int(n.depth)+1)
	s := &f.states[n.depth]
	*s = flushState{}
	for i := range f.path.threads {
		t := &f.path.threads[i]
		switch t.Status {
		case trace.Spinning:
			s.wakens = true
			s.left = s.left || t.ID == n.running
		case trace.Blocked:
			s.left = s.left || t.ID == n.running && !t.Rests
		}
	}
}

// misplaced reports whether t's step from n, the newest state, is an update that could come earlier.
func (f *earlyFlush) misplaced(n *node, t trace.TID) bool {
	u := f.path.thread(t)
	if u == nil || !u.Updates || u.Loose || u.Pending.Kind != trace.OpAccess {
		return false
	}
	f.step.Begin(u)
	for i := n.depth - 1; i >= 0; i-- {
		e := f.path.event(i)
		if e.Thread == u.Of && e.Stores(&u.PendingAccess) || e.Dependent(&f.step.Event) {
			return false
		}
		if e.OfBuffer() {
			if e.Thread > t {
				return true
			}
			continue
		}
		s, from := &f.states[i], &f.path.nodes[i]
		return f.freely || !(f.anyone && s.wakens || s.left && from.running != e.Thread)
	}
	return false
}
