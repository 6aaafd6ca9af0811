package por

import "landgo/por/relation"

// source is source-DPOR (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017,
// Algorithm 1). When event e' is run, it looks at each reversible race (e, e').
// v is the events after e that don't happen after it, and then e'. One *initial*
// of v is added to the backtrack set of the state before e, unless that has one
// already. It runs at least one execution of each trace, and may start others
// that sleep sets cut.
//
// Deviations:
//   - The initial that there is, or is added, may be e' itself, and e' may do something
//     else there than after e. Then the race is looked at again at the end of each
//     execution: a later event may have to come before e' then.
//   - Where no initial is ready (what would let it go isn't known) all ready
//     threads are added, as Flanagan and Godefroid do.
//   - Those of optimal.go for outcomes, blocking and the process's end.
type source struct {
	handle
	seq     *relation.Sequence
	open    []int32 // races to be looked at again at the end
	dropped int     // for fault dropBacktrack
	lead    bool    // of the initials, one that leads to the second event is added (sourcebpor.go)
}

func newSource(h handle) strategy {
	s := sourceOf(h)
	return &s
}

func sourceOf(h handle) source {
	return source{handle: h, seq: h.sequence()}
}

func (s *source) needs() *needs { return &needs{order: true, sleep: true} }
func (s *source) reset()        { s.open = s.open[:0] }
func (s *source) seed(n *node, _ *branch) error {
	s.sets.addDefault(n)
	return nil
}

func (s *source) ran(i int32)  { s.reverse(i, s.insert) }
func (s *source) end(e Ending) { s.finish(e, s.insert) }
func (s *source) expire()      { s.next.expiring(s.pending(s.insert)) }

// remember implements resumer.
func (s *source) remember() *resumeState {
	s.forget(int32(len(s.path.order.Races)))
	return &resumeState{open: append([]int32(nil), s.open...)}
}

// resumed implements resumer: another unit has looked at the races of the path;
// which of them are still open isn't known here.
func (s *source) resumed(m *resumeState) error {
	if m != nil {
		s.open = append(s.open[:0], m.open...)
		return nil
	}
	for r := range s.path.order.Races {
		s.open = append(s.open, int32(r))
	}
	return nil
}

// reverse calls insert for each race of event i with an earlier one, with s.seq
// the reversed sequence.
func (s *source) reverse(i int32, insert func() bool) {
	s.sets.addOutcomes(i, nil)
	from := int32(s.path.order.RacesOf(i))
	s.forget(from)
	for r := from; r < int32(len(s.path.order.Races)); r++ {
		if s.again(r, insert) {
			s.open = append(s.open, r)
		}
	}
}

// again calls insert for race r.
func (s *source) again(r int32, insert func() bool) (open bool) {
	if race := s.path.order.Races[r]; !s.fails() && !s.leavesOut(race) {
		s.stats.Weighed += s.seq.Reverse(race)
		open = insert()
	}
	return open
}

// forget drops open races from index r on: their events are gone.
func (s *source) forget(r int32) {
	for len(s.open) > 0 && s.open[len(s.open)-1] >= r {
		s.open = s.open[:len(s.open)-1]
	}
}

// finish does the same at the end of an execution, for races that are still open
// and for what is pending.
func (s *source) finish(e Ending, insert func() bool) {
	s.forget(int32(len(s.path.order.Races)))
	s.retry(s.insert)
	s.atEnd(e, insert)
}

// retry calls insert for the open races.
func (s *source) retry(insert func() bool) {
	kept := s.open[:0]
	for _, r := range s.open {
		if s.again(r, insert) {
			kept = append(kept, r)
		}
	}
	s.open = kept
}

// atEnd calls insert for what is pending at the end of an execution, or was cut
// off.
func (s *source) atEnd(e Ending, insert func() bool) {
	s.next.races(s.pending(insert))
	s.next.cutOff(e, func(c int32, e *relation.Step) {
		if s.seq.Alone(c, e); !s.fails() {
			insert()
		}
	})
}

// pending calls insert for each race of a blocked operation.
func (s *source) pending(insert func() bool) func(c int32, e *relation.Step, row []int32) {
	return func(c int32, e *relation.Step, row []int32) {
		if s.seq.Pending(c, e, row); !s.fails() {
			insert()
		}
	}
}

// fails is fault dropBacktrack.
func (s *source) fails() bool {
	s.dropped++
	return s.opts.fault == dropBacktrack && s.dropped%3 == 0
}

// insert adds an initial of the sequence to the backtrack set of the state that
// it starts in, unless there is one. It reports whether the answer may change
// with what is still to come.
func (s *source) insert() (open bool) {
	v := s.seq
	n := &s.path.nodes[v.From]
	s.sets.own(n)
	v.Start()
	if v.First && v.Single() && s.path.outcomes(n, v.Last.Thread) > 1 {
		s.sets.addElseAll(n, v.Last.Thread) // each outcome is a step of its own
		return v.Varies
	}
	for _, b := range s.path.sleepers(n) {
		switch how, _ := v.Starts(&b.Step, true); how {
		case relation.Initial:
			return false
		case relation.Perhaps:
			open = true
		}
	}
	for _, list := range [...]*branch{n.done, n.todo} {
		for b := list; b != nil; b = b.next {
			switch how, _ := v.Starts(&b.Step, list == n.done); how {
			case relation.Initial:
				return false
			case relation.Perhaps:
				open = true
			}
		}
	}
	if open {
		return true
	}
	first := v.Items()[0] // of the rest, if that was looked at
	if s.lead {
		first = v.Lead()
	}
	s.sets.addElseAll(n, v.Event(first).Thread)
	return v.Begins(first) == relation.Perhaps
}
