package por

// source is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017,
// Algorithm 1): when event e' is run, for each reversible race (e, e') one
// *initial* of v, what comes after e without happening after it and then e',
// is added to the backtrack set of the state before e, unless that has one
// already. It runs at least one execution of each trace, and may start others
// that sleep sets cut.
//
// Deviations:
//   - Where the initial that there is, or is added, is e' itself and e' may do
//     something else there than after e, the race is looked at again at the end
//     of each execution: a later event may have to come before e' then.
//   - Where no initial is ready (what would let it go isn't known) all ready
//     threads are added, as Flanagan and Godefroid do.
//   - Those of optimal.go for outcomes, blocking and the process's end.
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
func (s *source) expire()                 { s.x.givenUp(s.pending(s.insert)) }

// remember implements resumer.
func (s *source) remember() *memory {
	s.forget(int32(len(s.x.order.races)))
	return &memory{open: append([]int32(nil), s.open...)}
}

// resumed implements resumer: another part has looked at the races of the path;
// which of them are still open isn't known here.
func (s *source) resumed(m *memory) error {
	if m != nil {
		s.open = append(s.open[:0], m.open...)
		return nil
	}
	for r := range s.x.order.races {
		s.open = append(s.open, int32(r))
	}
	return nil
}

// reverse calls insert for each race of event i with an earlier one, with s.seq
// the reversed sequence.
func (s *source) reverse(i int32, insert func() bool) {
	s.x.spread(i)
	from := s.x.order.ev[i].races
	s.forget(from)
	for r := from; r < int32(len(s.x.order.races)); r++ {
		if s.again(r, insert) {
			s.open = append(s.open, r)
		}
	}
}

// again calls insert for race r.
func (s *source) again(r int32, insert func() bool) (open bool) {
	if s.fails() {
		return false
	}
	if b := s.seq.reverse(s.x.order.races[r]); b != nil {
		open = insert()
		s.x.pool.put(b)
	}
	return open
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
		if s.again(r, s.insert) {
			kept = append(kept, r)
		}
	}
	s.open = kept
	s.x.pendingRaces(s.pending(insert))
	s.x.cutSteps(e, func(c int32, b *branch) {
		if s.seq.alone(c, b); !s.fails() {
			insert()
		}
	})
}

// pending calls insert for each race of a blocked operation.
func (s *source) pending(insert func() bool) func(c int32, b *branch, row []int32) {
	return func(c int32, b *branch, row []int32) {
		if s.seq.pending(c, b, row); !s.fails() {
			insert()
		}
	}
}

// fails is fault dropBacktrack.
func (s *source) fails() bool {
	s.dropped++
	return s.x.opts.fault == dropBacktrack && s.dropped%3 == 0
}

// insert adds an initial of the sequence to the backtrack set of the state that
// it starts in, unless there is one. It reports whether the answer may change
// with what is still to come.
func (s *source) insert() (open bool) {
	x, v := s.x, &s.seq
	n := &x.nodes[v.c]
	x.own(n)
	v.start()
	if v.first && len(v.whole) == 0 && x.outcomes(n, v.e.thread) > 1 {
		x.anyThread(n, v.e.thread) // each outcome is a step of its own
		return v.varies
	}
	for _, b := range x.sleep[n.sleeps:n.slept] {
		switch how, _ := v.starts(b, true); how {
		case initial:
			return false
		case perhaps:
			open = true
		}
	}
	for _, list := range [...]*branch{n.done, n.todo} {
		for b := list; b != nil; b = b.next {
			switch how, _ := v.starts(b, list == n.done); how {
			case initial:
				return false
			case perhaps:
				open = true
			}
		}
	}
	if open {
		return true
	}
	if t := v.event(v.items[0]).thread; x.isReady(int(v.c), t) {
		x.anyThread(n, t)
	} else {
		x.anyAll(n)
	}
	return v.begins(v.items[0]) == perhaps
}
