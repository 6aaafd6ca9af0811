package por

import "landgo/trace"

// rounder is ROUNDER (Marmanis and Vafeiadis 2023, §IV): TruSt within a number
// of round-robin rounds (rounds.go). It visits exactly the traces G with
// rounds(G) at most k, once each.
//
// Deviation: Algorithm 2 drops a graph that is beyond the bound, which is right
// by Proposition 2, rounds don't decrease from a graph to one that it leads to,
// if all threads run to their ends. It isn't where a thread stays displaced for
// good, blocked or cut off by the process's end: r isn't there, and what needed
// more rounds was r. So here the bound is part of the program: an event beyond
// it is one that its thread can't do (graph.hold). An event's round is a
// function of what happens before it, so every graph within the bound is one of
// that program, each has one parent within the bound, and the argument in
// trust.go holds as it stands. The price: an execution in which somebody can
// only go on beyond the bound is followed to where nobody else can either. It
// is no execution within the bound (EndedPruned), but leads to those that end
// early.

// beyond reports whether the graph at hand is beyond the bound.
func (w *trust) beyond() bool { return w.limit >= 0 && w.rounds() > w.limit }

// within reports whether the graph that c makes may be within the bound, as far
// as is known before the revisiting event.
func (w *trust) within(c *candidate) bool {
	if w.limit < 0 {
		return true
	}
	// Rounds grow along what happens before, so the last events of K show it.
	for k, i := range c.q {
		if s := &w.steps[i]; c.take[k] && s.round+wrap(s.thread, c.a.thread) > w.limit {
			w.cut = true
			return false
		}
	}
	return true
}

// wrap is the number of rounds that begin between an event of thread a and the
// next of thread b.
func wrap(a, b trace.TID) int32 {
	if a > b {
		return 1
	}
	return 0
}
