package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// The conservative backtrack points of bpor: those that no race needs, but a
// bound.

// blockStart adds a point at the start of the block of event c, before which
// thread u should come (Algorithm 3, lines 8 and 9). Thread q has to take the
// first step of what leads to that.
//
// Where the block begins, all that is ready costs the same: leaving the block
// before was free or was done, whichever thread comes now. So the point is
// within the bound if what was explored from there is. The block is of steps of
// one thread between places where it could be left freely. Where it was explored
// to its end these are ext(s, t) of Definition 4.5.
func (s *bpor) blockStart(c int32, u, q trace.TID) {
	if j := s.states[c+1].block; j < c {
		s.early(j, u, q)
	}
}

// early adds u in the state before event j, and q, or every thread.
//
// Deviation: Coons et al. add u alone where it can run. Their proof has no sleep
// sets. With them u may be asleep there, because what begins with it is explored
// elsewhere. That says nothing of what begins with q (finding 17; it is the same
// at the race itself, see dpor.go), nor of what comes before u and depends on
// it. Without a bound the races of u, run later in the block, bring that; here
// they may be refused. So where one of the two is asleep every thread is added
// (finding 25).
func (s *bpor) early(j int32, u, q trace.TID) {
	if s.path.isReady(j, u) {
		if s.later(j, u); s.dozes(j, u) {
			s.later(j, allThreads)
		}
	}
	if s.path.isReady(j, q) && !s.dozes(j, q) {
		s.later(j, q)
	} else {
		s.later(j, allThreads)
	}
}

// release adds the points for event c, which let event i in: had i's thread come
// to its acquire before c, leaving it would have been free. They aren't needed
// if that thread stood at the acquire already before c: then it can't be left
// there.
func (s *bpor) release(c, i int32) {
	u := s.path.order.Thread(i)
	if s.path.isReady(c, u) && s.dozes(c, u) {
		s.later(c, allThreads) // the way of u to its acquire may begin with others
	} else if s.path.isReady(c, u) {
		s.later(c, u)
	} else if s.path.order.Prev(i) > c {
		s.later(c, allThreads)
	} else {
		return
	}
	s.blockStart(c, u, u)
}

// dozes reports whether u is asleep in the state before event j.
func (s *bpor) dozes(j int32, u trace.TID) bool {
	return s.asleep && s.path.asleep(&s.path.nodes[j], u, 0)
}

// changed looks at what the step to n changed for others. Under the fair bound a
// step that is a yield, or changes which threads can run, may make independent
// steps dearer (§4.3.2). So every thread is added before it (Definition 4.7,
// requirement 2). With a preemption bound too it may also end or begin a free
// leaving. Then every thread is added at its block's start as well ("whenever a
// thread's enabledness changes", §5.3).
//
// Deviation: the paper tells release operations by their kind. Here the step's
// effect counts, in either direction.
func (s *bpor) changed(n *node) {
	p := &s.path.nodes[n.depth-1]
	now, before := s.path.readySet(n), s.path.readySet(p)
	b := p.cur
	b.changes = s.meter.states[p.depth].yields
	for i := range now {
		d := now[i] ^ before[i]
		if int(b.Thread)/64 == i {
			d &^= 1 << (b.Thread % 64)
		}
		b.changes = b.changes || d != 0
	}
	if !s.fair || !b.changes || s.naive {
		return
	}
	s.later(p.depth, allThreads)
	if s.preempt {
		s.later(s.states[n.depth].block, allThreads)
	}
}

// waiting looks at each thread that the step to n has to do with and that is
// blocked there, as if its acquire came next: line 6 of Algorithm 2.
func (s *bpor) waiting(n *node) {
	if s.naive {
		return
	}
	top := s.path.event(n.depth - 1)
	point := s.pending(s.point)
	for k := range s.path.threads {
		t := &s.path.threads[k]
		if t.Status == trace.Blocked && relation.Acquires(t.Pending.Kind) && top.Dependent(s.next.waitsFor(t)) {
			s.next.racesOf(t, point)
		}
	}
}

// later notes that t is to be added to the state before event j.
func (s *bpor) later(j int32, t trace.TID) {
	if s.opts.fault == noConservative {
		return
	}
	st := &s.states[j]
	for _, w := range st.waiting {
		if w == t || w == allThreads {
			return
		}
	}
	st.waiting = append(st.waiting, t)
}

// conserve adds what waits in the state of n.
func (s *bpor) conserve(n *node, st *boundState) {
	for _, t := range st.waiting {
		if t == allThreads {
			s.sets.addAll(n)
		} else {
			s.sets.addThread(n, t)
		}
	}
	st.waiting = st.waiting[:0]
	for b := n.todo; b != nil; b = b.next {
		b.conservative = true
	}
}
