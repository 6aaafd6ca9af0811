package trust

import "landgo/internal/trace"

// This is ROUNDER (Marmanis and Vafeiadis 2023, §IV): TruSt within a number
// of round-robin rounds. It visits exactly the traces G with rounds(G) at most
// k, once each.
//
// Deviation: Algorithm 2 drops a graph that is beyond the bound. That is right
// by Proposition 2 (rounds don't decrease from a graph to one that it leads to)
// if all threads run to their ends. It isn't where a thread stays displaced for
// good, blocked or cut off by the process's end: r isn't there, and what needed
// more rounds was r. So here the bound is part of the program: an event beyond
// it is one that its thread can't do (graph.hold). An event's round is a
// function of what happens before it, so every graph within the bound is one of
// that program. Each has one parent within the bound, and the argument in
// doc.go holds as it stands. A thread that can't do its event is like one that
// is blocked, and where its turn is passed over is part of the graph (findings
// 21 and 22).
//
// The price: an execution in which a thread can only go on beyond the bound is
// followed to where no other thread can go on either. It is no execution within the
// bound (Beyond), but leads to those that end early. No more can be left out
// without knowing that none does. Where one thread is beyond the bound, a failing
// assertion within it may take any order of the others' steps.
//
// With the option early=0 graphs are dropped as in the paper (Config.Dropping). Each trace within
// the bound in which all threads run to their ends is then visited, once. Not all traces that
// end early are, so it proves nothing. Beyond the paper, a graph is dropped one round sooner while
// the first thread joins the others (Walk.latest). All of their events come before its end, which
// is in a later round. That is right for programs whose first thread makes the others, joins them
// all, and does nothing else while they live. No thread then depends on its joins, and Proposition
// 2 holds of what the others do.
//
// Rounds of a graph (§II-B and Algorithm 1). A round-robin scheduler of threads in
// ascending order has to start again from the first so often, at the least, to run
// some linearisation. All events count, main's joins and the threads' ends too. The
// greedy scheduler runs each event as early as any can. That is in the round of the
// latest event that has to come before it, or in the one after if that event's
// thread comes later in a round. So an event's round is known when it is added,
// from those that it directly depends on, and the graph's rounds are the latest
// event's. (Deviation: Algorithm 1 is a pass over the graph per event; the
// differential test has it as it stands in the paper.)

// beyond reports whether the graph at hand is beyond the bound, or leads to none
// but such, as far as its newest event says (latest).
func (w *Walk) beyond() bool {
	if w.cfg.Limit < 0 {
		return false
	}
	if n := w.size(); n > 0 && w.cfg.Dropping {
		if s := &w.steps[n-1]; s.round > w.latest(s.Thread, w.tip().joining) {
			return true
		}
	}
	return w.rounds() > w.cfg.Limit
}

// latest is the last round within the bound for an event of thread t. Where
// graphs are dropped it is one less if the first thread is joining: what waits
// for t to end comes in the round after.
func (w *Walk) latest(t trace.TID, joining bool) int32 {
	if w.cfg.Dropping && joining && t != 0 {
		return w.cfg.Limit - 1
	}
	return w.cfg.Limit
}

// joins reports whether all that the event of s did was to join a thread.
func (s *step) joins() bool {
	for i := range s.Ops {
		if s.Ops[i].Kind != trace.OpJoin {
			return false
		}
	}
	return len(s.Accesses)+len(s.Waits) == 0 && !s.Global
}

// within reports whether the graph that c makes may be within the bound, as far
// as is known before the revisiting event.
func (w *Walk) within(c *candidate) bool {
	if w.cfg.Limit < 0 {
		return true
	}
	// The event's round follows from those of what it directly comes after. That is its
	// base: what is in that and directly before it counts for no more than the end of the
	// base does. It is also what of K it depends on, and what it depends on before that, as
	// far as it is known.
	var e step
	e.Thread = c.a.Thread
	if l := w.order.Last(e.Thread); l >= 0 {
		e.after(&w.steps[l])
	}
	for y := range w.order.Wakers(e.Thread) {
		e.after(&w.steps[y])
	}
	for k, i := range c.q {
		if c.take[k] {
			e.after(&w.steps[i])
		}
	}
	for _, i := range c.found[c.next+1:] {
		if s := &w.steps[i]; !c.varies && !c.a.MayFail() || c.lone && !s.weak && s.Writes(&c.a.Accesses[0]) {
			e.after(s)
		}
	}
	joining := w.tip().joining && w.order.Last(0) < c.r
	if e.round > w.latest(e.Thread, joining) {
		w.Cut = true
		return false
	}
	// The access that is displaced comes next, after it.
	if r := &w.steps[c.r]; w.cfg.Dropping && !c.varies && !c.a.Global && len(r.Ops) == 0 && e.round+wrap(e.Thread, r.Thread) > w.latest(r.Thread, joining) {
		w.Cut = true
		return false
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

// after says that p comes before s.
func (s *step) after(p *step) {
	s.round = max(s.round, p.round+wrap(p.Thread, s.Thread))
}
