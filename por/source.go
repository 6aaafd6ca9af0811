package por

import "landgo/trace"

// source is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017,
// Algorithm 1): when event e' is run, for each reversible race (e, e') one
// *initial* of v, what comes after e without happening after it and then e',
// is added to the backtrack set of the state before e, unless that has one
// already. It runs at least one execution of each trace, and may start others
// that sleep sets cut.
//
// Deviations: a race is looked at again at the end where insert says so; those of optimal.go for outcomes, blocking and the process's end;
// where no initial is ready (what would let it go isn't known) all ready
// threads are added, as Flanagan and Godefroid do.
type source struct {
	x       *explorer
	seq     sequence
	open    []int32 // races to be looked at again at the end
	dropped int     // for fault dropBacktrack
}

func newSource(x *explorer) strategy {
	s := &source{x: x}
	s.seq.x = x
	return s
}

func (s *source) uses() (bool, bool)      { return true, true }
func (s *source) reset()                  { s.open = s.open[:0] }
func (s *source) seed(n *node, _ *branch) { s.x.anyway(n) }
func (s *source) ran(i int32)             { s.reverse(i, s.insert) }
func (s *source) end(e Ending)            { s.finish(e, s.insert) }

// reverse calls insert for each race of event i with an earlier one, with s.seq
// the reversed sequence.
func (s *source) reverse(i int32, insert func() bool) {
	s.x.spread(i)
	from := s.x.order.ev[i].races
	s.forget(from)
	for r := from; r < int32(len(s.x.order.races)); r++ {
		if s.take(r) && !s.fails() && insert() {
			s.open = append(s.open, r)
		}
	}
}

// take sets s.seq to the sequence of a race.
func (s *source) take(r int32) bool {
	x, o := s.x, s.x.order
	rc := o.races[r]
	cur := x.nodes[rc.second].cur
	if x.opts.fault == noProcessEnd && cur.global {
		return false
	}
	o.drops = append(o.drops[:0], rc.first)
	if first := o.ev[rc.second].first; first.Kind == trace.OpWriteLock {
		o.possible(rc.first, &cur.event, first, rc.second, x.readyFn)
	}
	s.seq.executed(rc, cur)
	return true
}

// forget drops open races from index r on: their events are gone.
func (s *source) forget(r int32) {
	for len(s.open) > 0 && s.open[len(s.open)-1] >= r {
		s.open = s.open[:len(s.open)-1]
	}
}

// finish does the same for what is pending at the end of an execution, and for
// races that are still open.
func (s *source) finish(e Ending, insert func() bool) {
	s.forget(int32(len(s.x.order.races)))
	kept := s.open[:0]
	for _, r := range s.open {
		if s.take(r) && s.insert() {
			kept = append(kept, r)
		}
	}
	s.open = kept
	add := func() {
		if !s.fails() {
			insert()
		}
	}
	s.x.pendingRaces(func(c int32, b *branch, row []int32) { s.seq.pending(c, b, row); add() })
	s.x.cutSteps(e, func(c int32, b *branch) { s.seq.alone(c, b); add() })
}

// fails is fault dropBacktrack.
func (s *source) fails() bool {
	s.dropped++
	return s.x.opts.fault == dropBacktrack && s.dropped%3 == 0
}

// insert adds an initial of the sequence to the backtrack set of the state that
// it starts in, unless there is one. It reports whether the answer may change:
// the initial that there is is e' itself, asleep, and did something else there
// than after e, so that events still to come may have to be before it.
func (s *source) insert() (open bool) {
	x, v := s.x, &s.seq
	n := &x.nodes[v.c]
	v.start()
	if v.first && len(v.whole) == 0 && x.outcomes(n, v.e.thread) > 1 {
		x.anyThread(n, v.e.thread) // each outcome is a step of its own
		return false
	}
	for _, b := range x.sleep[n.sleeps:n.slept] {
		if b.thread == v.e.thread && v.first {
			if how := v.weak(b, asleep); how != no {
				return how == perhaps
			}
		} else if s.initial(b) {
			return false
		}
	}
	for _, list := range [...]*branch{n.done, n.todo} {
		for b := list; b != nil; b = b.next {
			if s.initial(b) {
				return false
			}
		}
	}
	if t := v.event(v.items[0]).thread; x.isReady(int(v.c), t) {
		x.anyThread(n, t)
	} else {
		x.anyAll(n)
	}
	return false
}

// initial reports whether branch b is a first step of v: its thread's first
// event in v, with nothing of v before it.
func (s *source) initial(b *branch) bool {
	o, v := s.x.order, &s.seq
	for i := v.c + 1; i < v.end; i++ {
		if o.ev[i].thread != b.thread || o.dropped(i) {
			continue
		}
		for j := v.c + 1; j < i; j++ {
			if o.before(j, i) && !o.dropped(j) {
				return false
			}
		}
		return s.x.nodes[i].cur.choice == b.choice
	}
	return b.thread == v.e.thread && len(v.whole) == 0
}
