package por

import (
	"iter"

	"landgo/internal/trace"
)

// backtrack adds to what is to be explored from the states of a path: their
// backtrack sets, or wakeup trees (wakeup.go). It leaves out what sleeps there, was
// explored, or is planned already.
type backtrack struct {
	path    *path
	pool    pool
	bounded bool // the search has a bound
	// within, if not nil, says which threads are explored from a state at all.
	within func(n *node, t trace.TID) bool
}

// may reports whether t can run in n, and is explored from there.
func (s *backtrack) may(n *node, t trace.TID) bool {
	return s.path.isReady(n.depth, t) && (s.within == nil || s.within(n, t))
}

// addDefault adds the default branch that isn't asleep, done or planned, if any.
func (s *backtrack) addDefault(n *node) {
	if t, c, ok := s.arbitrary(n); ok && find(n.todo, t, c) == nil {
		add(&n.todo, s.pool.named(t, c))
	}
}

// addThread adds what t can do in n unless it is asleep, done or planned.
func (s *backtrack) addThread(n *node, t trace.TID) {
	s.own(n)
	if !s.may(n, t) {
		return
	}
	for k, of := trace.Choice(0), s.path.choice(n, t); k < of.count(); k++ {
		c := of.way(k)
		if !s.path.asleep(n, t, c) && find(n.done, t, c) == nil && find(n.todo, t, c) == nil && find(n.over, t, c) == nil && (n.cur == nil || n.cur.Thread != t || n.cur.Choice != c) {
			add(&n.todo, s.pool.named(t, c))
		}
	}
}

// addElseAll adds what t can do in n, or what all can if t can't run there or isn't
// explored from there.
func (s *backtrack) addElseAll(n *node, t trace.TID) {
	if s.may(n, t) {
		s.addThread(n, t)
	} else {
		s.addAll(n)
	}
}

// addAll does so for all threads.
func (s *backtrack) addAll(n *node) {
	s.own(n)
	for t := trace.TID(0); int(t) < s.path.words*64; t++ {
		s.addThread(n, t)
	}
}

// longestTurn is how many steps a thread takes by default before others go on. A
// thread that waits for them in a loop that isn't an exact spin (it counts, or
// works meanwhile) would never let them otherwise. The first execution would have
// no end. It isn't used under a bound: there a thread is left where the bound
// allows it.
const longestTurn = 1024

// byTurns are the threads that are ready in n: first the one that the guest's
// own scheduler would choose, then the running one, then the others in ascending
// order. After longestTurn steps they go in a circle, and the running one is
// last. Staying with the running thread where the guest has chosen another can
// be an execution without an end: threads that yield to each other.
func (s *backtrack) byTurns(n *node) iter.Seq[trace.TID] {
	ready := func(t trace.TID) bool { return t != trace.NoThread && s.may(n, t) }
	over := n.turn >= longestTurn && !s.bounded
	return func(yield func(trace.TID) bool) {
		if ready(n.next) && !yield(n.next) || !over && n.running != n.next && ready(n.running) && !yield(n.running) {
			return
		}
		first := trace.TID(0)
		if over {
			first = n.running + 1
		}
		for _, behind := range [...]bool{false, true} { // in a circle
			for t := range trace.Set(s.path.readySet(n)).All {
				if t < first == behind && t != n.next && (over || t != n.running) && s.may(n, t) && !yield(t) {
					return
				}
			}
		}
	}
}

// arbitrary is the default way on from n: the first of byTurns, leaving out what is
// asleep or explored.
func (s *backtrack) arbitrary(n *node) (trace.TID, trace.Choice, bool) {
	for t := range s.byTurns(n) {
		if c, ok := s.awake(n, t); ok {
			return t, c, true
		}
	}
	return 0, 0, false
}

// awake returns the first outcome of ready thread t's step that isn't asleep
// or explored.
func (s *backtrack) awake(n *node, t trace.TID) (trace.Choice, bool) {
	for k, of := trace.Choice(0), s.path.choice(n, t); k < of.count(); k++ {
		c := of.way(k)
		if !s.path.asleep(n, t, c) && find(n.done, t, c) == nil {
			return c, true
		}
	}
	return 0, false
}

// addOutcomes makes branches of the other outcomes of event i's step, of those that are wanted
// if that isn't nil.
func (s *backtrack) addOutcomes(i int32, wanted func(trace.Choice) bool) {
	n := &s.path.nodes[i]
	s.own(n)
	t := n.cur.Thread
	for k, of := trace.Choice(0), s.path.choice(n, t); k < of.count(); k++ {
		c := of.way(k)
		if c != n.cur.Choice && find(n.todo, t, c) == nil && find(n.done, t, c) == nil && !s.path.asleep(n, t, c) && (wanted == nil || wanted(c)) {
			add(&n.todo, s.pool.named(t, c))
		}
	}
}

// addEvery adds all steps that aren't asleep in n, in the order of byTurns.
func (s *backtrack) addEvery(n *node) {
	tail := &n.todo
	for t := range s.byTurns(n) {
		for k, of := trace.Choice(0), s.path.choice(n, t); k < of.count(); k++ {
			c := of.way(k)
			if s.path.asleep(n, t, c) {
				continue
			}
			*tail = s.pool.named(t, c)
			tail = &(*tail).next
		}
	}
}

// own makes the branches planned in the state of n this walk's, which may then
// add to them.
func (s *backtrack) own(n *node) {
	if n.shared != nil && !n.copied {
		n.todo, n.copied = s.pool.copies(n.todo), true
	}
}
