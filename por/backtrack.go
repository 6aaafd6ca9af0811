package por

import (
	"iter"

	"landgo/trace"
)

// Which way to go on from a state.

// take removes the next branch to explore from n's, nil if there is none.
func (x *explorer) take(n *node) *branch {
	for n.todo != nil {
		b := n.todo
		n.todo, b.next = b.next, nil
		if b.last != 0 && b.last < x.insns[b.Thread] {
			// An earlier step went beyond this one: what follows it comes now.
			kids := x.pool.below(b)
			add(kids, n.todo)
			leaf := *kids == n.todo
			n.todo, *kids = *kids, nil
			x.pool.put(b)
			if leaf {
				x.addAll(n)
			}
			continue
		}
		if !x.isReady(int(n.depth), b.Thread) || b.Choice >= x.outcomes(n, b.Thread) || x.asleep(n, b.Thread, b.Choice) {
			// The reversed step isn't possible after all (a wait that ended for
			// another reason, a choice that isn't there), or turns out
			// redundant. What was taken for covered by it may not be: explore
			// everything here.
			x.pool.putAll(b)
			x.addAll(n)
			continue
		}
		if x.allow != nil && !x.allow(n, b) {
			b.next, n.over = n.over, b
			continue
		}
		return b
	}
	return nil
}

// addDefault adds the default branch that isn't asleep, done or planned, if any.
func (x *explorer) addDefault(n *node) {
	if t, c, ok := x.arbitrary(n); ok && find(n.todo, t, c) == nil {
		add(&n.todo, x.pool.named(t, c))
	}
}

// addThread adds what t can do in n unless it is asleep, done or planned.
func (x *explorer) addThread(n *node, t trace.TID) {
	x.own(n)
	if !x.isReady(int(n.depth), t) {
		return
	}
	for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
		if !x.asleep(n, t, c) && find(n.done, t, c) == nil && find(n.todo, t, c) == nil && find(n.over, t, c) == nil && (n.cur == nil || n.cur.Thread != t || n.cur.Choice != c) {
			add(&n.todo, x.pool.named(t, c))
		}
	}
}

// addAll does so for all threads.
func (x *explorer) addAll(n *node) {
	x.own(n)
	for t := trace.TID(0); int(t) < x.words*64; t++ {
		x.addThread(n, t)
	}
}

// longestTurn is how many steps a thread takes by default before others go on. One
// that waits for them in a loop that isn't an exact spin (it counts, or works
// meanwhile) would never let them otherwise, and the first execution had no end.
// Under a bound it isn't asked for: there a thread is left where the bound allows it.
const longestTurn = 1024

// byTurns are the threads that are ready in n: whom the guest's own scheduler would
// choose, the running one, and the others in ascending order; after longestTurn in a
// circle, the running one last. To stay with the running one where the guest has
// chosen another can be an execution without an end: threads that yield to each other.
func (x *explorer) byTurns(n *node) iter.Seq[trace.TID] {
	ready := func(t trace.TID) bool { return t != trace.NoThread && x.isReady(int(n.depth), t) }
	over := n.turn >= longestTurn && x.meter == nil
	return func(yield func(trace.TID) bool) {
		if ready(n.next) && !yield(n.next) || !over && n.running != n.next && ready(n.running) && !yield(n.running) {
			return
		}
		all, first := trace.TID(x.words*64), trace.TID(0)
		if over {
			first = n.running + 1
		}
		for k := range all {
			if t := (first + k) % all; t != n.next && (over || t != n.running) && ready(t) && !yield(t) {
				return
			}
		}
	}
}

// arbitrary is the default way on from n: the first of byTurns, leaving out what is
// asleep or explored.
func (x *explorer) arbitrary(n *node) (trace.TID, trace.Choice, bool) {
	for t := range x.byTurns(n) {
		if c, ok := x.awake(n, t); ok {
			return t, c, true
		}
	}
	return 0, 0, false
}

// awake returns the first outcome of ready thread t's step that isn't asleep
// or explored.
func (x *explorer) awake(n *node, t trace.TID) (trace.Choice, bool) {
	for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
		if !x.asleep(n, t, c) && find(n.done, t, c) == nil {
			return c, true
		}
	}
	return 0, false
}

func (x *explorer) asleep(n *node, t trace.TID, c trace.Choice) bool {
	for _, b := range x.sleep[n.sleeps:n.slept] {
		if b.Thread == t && b.Choice == c {
			return true
		}
	}
	return false
}

// addOutcomes makes branches of the other outcomes of event i's step.
func (x *explorer) addOutcomes(i int32) {
	n := &x.nodes[i]
	x.own(n)
	t := n.cur.Thread
	for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
		if c != n.cur.Choice && find(n.todo, t, c) == nil && find(n.done, t, c) == nil && !x.asleep(n, t, c) {
			add(&n.todo, x.pool.named(t, c))
		}
	}
}
