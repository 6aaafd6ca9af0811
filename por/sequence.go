package por

import (
	"slices"

	"landgo/trace"
)

// sequence is the v of a reversed race (c, e'): what can be run in the state
// before event c to have e' without c. Its *essential* part is what happens
// before e' of the events that come after c and don't happen after it (or
// after what else o.drops has), in their order, and e' itself. The *rest* is
// what else comes after c without happening after it: it commutes with the
// essential part, and is added as far as it is needed.
//
// A branch b is a *weak initial* of v after a state (JACM 2017, Definition
// 3.5) if b is a first step of v, or depends on no step of v. The paper's v is
// the essential part and all of the rest; grow is what makes the difference.
//
// What e' does in its new place, without c, may be something else than what it
// did after c, if it *may vary*: a try or compare-and-exchange that failed may
// succeed, and at coarse granularity anything may follow its beginning. Then
// all of the rest that e' may come to depend on is essential, and comes before
// it; that e' may also come before that is found from there.
type sequence struct {
	x      *explorer
	c      int32   // the state before event c is where v starts
	end    int32   // position of e', or the execution's length if e' is pending
	e      *branch // e', as far as it is known in its new place
	varies bool    // e' may do something else there
	first  bool    // e' is its thread's first step after that state
	row    []int32 // a clock of what e' needs before it
	search bool    // row doesn't have all of it: what e' depends on has to be looked for
	whole  []int32 // the essential part, without e'
	// persistent: only the essential part's first steps count as initials
	// (nidhugg.go).
	persistent bool

	items     []int32 // v, without what was taken from it; -1, last, is e'
	room      []int32 // where items begins
	essential int     // items[:essential] are of the essential part
	after     int     // how many items came after e'
}

// reverse makes v for the race r and returns e', which the caller gives back
// to the pool; nil if the race is to be left out.
func (s *sequence) reverse(r race) *branch {
	x, o := s.x, s.x.order
	cur := x.nodes[r.second].cur
	if x.opts.fault == noProcessEnd && cur.global || x.amid(int(r.second-r.first)) {
		return nil
	}
	o.drops = append(o.drops[:0], r.first)
	if first := o.ev[r.second].first; first.Kind == trace.OpWriteLock {
		o.possible(r.first, &cur.event, first, r.second, x.readyFn)
	}
	s.e = x.pool.copy(&cur.event, 0)
	s.c, s.end, s.varies = r.first, r.second, s.e.blur(x.opts.OneEvent)
	s.first = o.ev[r.second].prev < r.first
	s.row = o.clock(r.second)
	if r.need >= 0 {
		s.row = o.needs[r.need:]
	}
	s.search = s.varies || r.need >= 0 && s.hidden()
	s.collect()
	return s.e
}

// pending makes v for the race of c with a step that is blocked at the end; row
// is the clock of what that needs.
func (s *sequence) pending(c int32, e *branch, row []int32) {
	s.c, s.end, s.e, s.varies = c, int32(len(s.x.order.ev)), e, e.wild
	s.first = s.x.order.last[e.thread] <= c
	s.row, s.search = row, s.varies || s.hidden()
	s.collect()
}

// hidden reports whether e' may depend on events that the release hides, which
// is left out: all that it had to come after were found behind the release for
// the object only that e' waits for. A write, or another operation, that goes
// with the release hides earlier ones from what else e' does.
func (s *sequence) hidden() bool {
	e := &s.e.event
	return len(e.accesses)+len(e.waits) > 0 || len(e.ops) != 1 || s.x.order.plain(&e.ops[0])
}

// alone makes the v that is e' only: a step that the end of the process, c,
// kept from being taken.
func (s *sequence) alone(c int32, e *branch) {
	s.x.order.drops = append(s.x.order.drops[:0], c)
	s.c, s.end, s.e, s.varies, s.first = c, c+1, e, false, true
	s.whole = s.whole[:0]
}

// collect finds the essential part.
func (s *sequence) collect() {
	o := s.x.order
	s.whole = s.whole[:0]
	if !s.search {
		// Each thread's events, newest first: the time is that of what e' needs,
		// not of what lies between.
		for _, n := range s.row[:o.width] {
			i := n - 1
			if i == s.end {
				i = o.ev[i].prev
			}
			for ; i > s.c; i = o.ev[i].prev {
				if !o.dropped(i) {
					s.whole = append(s.whole, i)
				}
			}
		}
		slices.Sort(s.whole)
		return
	}
	for i := int32(len(o.ev)) - 1; i > s.c; i-- {
		if i == s.end || o.dropped(i) {
			continue
		}
		in := s.row[o.ev[i].thread] > i || s.e.dependent(s.event(i))
		for k := 0; !in && k < len(s.whole); k++ {
			in = o.before(i, s.whole[k])
		}
		if in {
			s.whole = append(s.whole, i)
		}
	}
	slices.Reverse(s.whole)
}

// start begins an insertion with the essential part.
func (s *sequence) start() {
	o := s.x.order
	o.tick(len(o.ev) + 1)
	s.items = append(append(s.room[:0], s.whole...), -1)
	s.room, s.essential, s.after = s.items, len(s.whole), 0
	for _, i := range s.whole {
		o.stamp[i] = o.now
		if i > s.end {
			s.after++
		}
	}
}

// event is what item i does.
func (s *sequence) event(i int32) *event {
	if i < 0 {
		return &s.e.event
	}
	return &s.x.nodes[i].cur.event
}

// thread is that of item i, found with less to look at.
func (s *sequence) thread(i int32) trace.TID {
	if i < 0 {
		return s.e.thread
	}
	return s.x.order.ev[i].thread
}

// verdict says whether a branch is a weak initial of v.
type verdict uint8

const (
	no verdict = iota
	// initial: it is, whatever else the execution does after e'.
	initial
	// perhaps: it is in this execution; another with the same events up to e'
	// may have something later that has to come before it.
	perhaps
)

// begins says how far it is settled that item i, a first step of v, is one.
func (s *sequence) begins(i int32) verdict {
	if i < 0 && s.varies || i > s.end {
		return perhaps
	}
	return initial
}

// later reports whether v has events that came after e'.
func (s *sequence) later() bool { return s.after > 0 }

// starts says whether b is a first step of v (an initial). known: it is asleep
// or explored, so that what it did is known. found: v has a step of its
// thread.
func (s *sequence) starts(b *branch, known bool) (how verdict, found bool) {
	for k, i := range s.items {
		if s.thread(i) != b.thread {
			continue
		}
		if s.event(i).choice != b.choice || i >= 0 && s.follows(k) || i < 0 && !s.lastBegins(b, known) {
			return no, true
		}
		return s.begins(i), true
	}
	if s.persistent {
		return no, false
	}
	for i := s.c + 1; i < int32(len(s.x.order.ev)); i++ {
		if s.thread(i) != b.thread || !s.inRest(i) {
			continue
		}
		if s.event(i).choice != b.choice || s.behind(i) {
			s.grow(i)
			return no, true
		}
		return s.begins(i), true
	}
	return no, false
}

// lastBegins reports whether b, the step e' itself, may be the first of v. If b
// was run from this state or sleeps there, what it did is what e' does there.
func (s *sequence) lastBegins(b *branch, known bool) bool {
	for _, i := range s.items[:s.essential] {
		if !known || s.row[s.event(i).thread] > i || s.event(i).dependent(&b.event) {
			return false
		}
	}
	return true
}

// weak says whether b is a weak initial of v. Where only the rest speaks
// against it, v grows by what does.
func (s *sequence) weak(b *branch, known bool) verdict {
	if how, found := s.starts(b, known); found {
		return how
	}
	for _, i := range s.items {
		if s.event(i).dependent(&b.event) {
			return no
		}
	}
	for i := s.c + 1; i < int32(len(s.x.order.ev)); i++ {
		if s.inRest(i) && s.event(i).dependent(&b.event) {
			s.grow(i)
			return no
		}
	}
	return perhaps
}

// inRest reports whether event i is of the rest, and not yet taken.
func (s *sequence) inRest(i int32) bool {
	o := s.x.order
	return i != s.end && o.stamp[i] != o.now && !o.dropped(i)
}

// follows reports whether the item at index k comes after something in v that
// it depends on.
func (s *sequence) follows(k int) bool {
	for _, j := range s.items[:k] {
		if i := s.items[k]; j < i && s.x.order.before(j, i) {
			return true
		}
	}
	return false
}

// behind reports whether event i of the rest happens after anything else of v.
func (s *sequence) behind(i int32) bool {
	o := s.x.order
	for _, j := range s.items {
		if j >= 0 && j < i && o.before(j, i) {
			return true
		}
	}
	for j := s.c + 1; j < i; j++ {
		if s.inRest(j) && o.before(j, i) {
			return true
		}
	}
	return false
}

// grow adds event i of the rest to v, with what happens before it.
func (s *sequence) grow(i int32) {
	o := s.x.order
	last := len(s.items) > 0 && s.items[len(s.items)-1] < 0
	if last {
		s.items = s.items[:len(s.items)-1]
	}
	for j := s.c + 1; j <= i; j++ {
		if (j == i || o.before(j, i)) && s.inRest(j) {
			o.stamp[j] = o.now
			s.items = append(s.items, j)
			if j > s.end {
				s.after++
			}
		}
	}
	if last {
		s.items = append(s.items, -1)
	}
}

// remove takes b, a weak initial of v, from it.
func (s *sequence) remove(b *branch) {
	for k, i := range s.items {
		if s.thread(i) == b.thread {
			// What is taken is mostly near the start, so what is before it moves.
			copy(s.items[1:k+1], s.items[:k])
			s.items = s.items[1:]
			if k < s.essential {
				s.essential--
			}
			if i > s.end {
				s.after--
			}
			return
		}
	}
	o := s.x.order
	for i := s.c + 1; i < int32(len(o.ev)); i++ {
		if s.thread(i) == b.thread && s.inRest(i) {
			o.stamp[i] = o.now // it has run: no longer of the rest
			return
		}
	}
}
