package por

import "landgo/trace"

// source is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017,
// Algorithm 1): when event e' is run, for each reversible race (e, e') one
// *initial* of v, what comes after e without happening after it and then e',
// is added to the backtrack set of the state before e, unless that has one
// already. It runs at least one execution of each trace, and may start others
// that sleep sets cut.
//
// Deviations: those of optimal.go for outcomes, blocking and the process's end;
// where no initial is ready (what would let it go isn't known) all ready
// threads are added, as Flanagan and Godefroid do.
type source struct {
	x       *explorer
	seq     sequence
	dropped int
}

func newSource(x *explorer) strategy {
	s := &source{x: x}
	s.seq.x = x
	return s
}

func (s *source) uses() (bool, bool)      { return true, true }
func (s *source) reset()                  {}
func (s *source) seed(n *node, _ *branch) { s.x.anyway(n) }

func (s *source) ran(i int32) {
	s.x.spread(i)
	s.reverse(i, s.add)
}

func (s *source) end(e Ending) { s.finish(e, s.add) }

// reverse calls add for each race of event i with an earlier one, with s.seq
// the reversed sequence.
func (s *source) reverse(i int32, add func()) {
	x, o := s.x, s.x.order
	for _, r := range o.races[o.ev[i].races:] {
		if x.opts.fault == noProcessEnd && x.nodes[i].cur.global {
			continue
		}
		o.drops = append(o.drops[:0], r.first)
		if first := o.ev[i].first; first.Kind == trace.OpWriteLock {
			o.possible(r.first, &x.nodes[i].cur.event, first, i, x.readyFn)
		}
		s.seq.executed(r, x.nodes[i].cur)
		add()
	}
}

// finish does the same for what is pending at the end of an execution.
func (s *source) finish(e Ending, add func()) {
	s.x.pendingRaces(func(c int32, b *branch, row []int32) { s.seq.pending(c, b, row); add() })
	s.x.cutSteps(e, func(c int32, b *branch) { s.seq.alone(c, b); add() })
}

// add is insert, but for the fault.
func (s *source) add() {
	if !s.fails() {
		s.insert()
	}
}

// fails is fault dropBacktrack.
func (s *source) fails() bool {
	s.dropped++
	return s.x.opts.fault == dropBacktrack && s.dropped%3 == 0
}

// insert adds an initial of the sequence to the backtrack set of the state that
// it starts in, with all outcomes, unless there is one.
func (s *source) insert() {
	x, v := s.x, &s.seq
	n := &x.nodes[v.c]
	if v.first && len(v.whole) == 0 && x.outcomes(n, v.e.thread) > 1 {
		x.anyThread(n, v.e.thread) // each outcome is a step of its own
		return
	}
	for _, b := range x.sleep[n.sleeps:n.slept] {
		if s.initial(b) {
			return
		}
	}
	for _, list := range [...]*branch{n.done, n.todo} {
		for b := list; b != nil; b = b.next {
			if s.initial(b) {
				return
			}
		}
	}
	t := v.e.thread
	if len(v.whole) > 0 {
		t = x.order.ev[v.whole[0]].thread
	}
	if x.isReady(int(v.c), t) {
		x.anyThread(n, t)
	} else {
		x.anyAll(n)
	}
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
