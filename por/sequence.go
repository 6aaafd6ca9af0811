package por

// sequence is the v of a reversed race (c, e'): what can be run in the state
// before event c to have e' without c. Its *essential* part is what happens
// before e' of the events that come after c and don't happen after it (or
// after what else o.drops has), in their order, and e' itself. The *rest* is
// what else comes after c without happening after it: it commutes with the
// essential part, and is appended as far as it is needed.
//
// A branch b is a *weak initial* of v after a state (JACM 2017, Definition
// 3.5) if b is a first step of v, or depends on no step of v. The paper's v is
// the essential part and all of the rest; grow is what makes the difference.
type sequence struct {
	x     *explorer
	c     int32   // the state before event c is where v starts
	end   int32   // position of e', or the execution's length if e' is pending
	e     *branch // e', as far as it is known in its new place
	first bool    // e' is its thread's first step after that state
	whole []int32 // the essential part, without e'

	items     []int32 // v, without what was taken from it; -1, last, is e'
	essential int     // items[:essential] are of the essential part
}

// executed makes v for the race r.
func (s *sequence) executed(r race, e *branch) {
	o := s.x.order
	s.c, s.end, s.e = r.first, r.second, e
	s.first = o.ev[r.second].prev < r.first
	row := o.clock(r.second)
	if r.need >= 0 {
		row = o.needs[r.need:]
	}
	s.collect(row)
}

// pending makes v for the race of c with a step that is blocked at the end; row
// is the clock of what that needs.
func (s *sequence) pending(c int32, e *branch, row []int32) {
	s.c, s.end, s.e = c, int32(len(s.x.order.ev)), e
	s.first = s.x.order.last[e.thread] <= c
	s.collect(row)
}

// alone makes the v that is e' only: a step that the end of the process, c,
// kept from being taken.
func (s *sequence) alone(c int32, e *branch) {
	s.x.order.drops = append(s.x.order.drops[:0], c)
	s.c, s.end, s.e, s.first = c, c+1, e, true
	s.whole = s.whole[:0]
}

func (s *sequence) collect(row []int32) {
	o := s.x.order
	s.whole = s.whole[:0]
	for i := s.c + 1; i < s.end; i++ {
		if row[o.ev[i].thread] > i && !o.dropped(i) {
			s.whole = append(s.whole, i)
		}
	}
}

// start begins an insertion with the essential part.
func (s *sequence) start() {
	o := s.x.order
	o.tick(len(o.ev) + 1)
	s.items = append(append(s.items[:0], s.whole...), -1)
	for _, i := range s.whole {
		o.stamp[i] = o.now
	}
	s.essential = len(s.whole)
}

// event is what item i does.
func (s *sequence) event(i int32) *event {
	if i < 0 {
		return &s.e.event
	}
	return &s.x.nodes[i].cur.event
}

// place says where a branch stands whose relation to v is asked.
type place uint8

const (
	planned place = iota // in a wakeup tree
	done                 // explored from the state where v starts
	asleep               // explored from an earlier state
)

// verdict says whether a branch is a weak initial of v.
type verdict uint8

const (
	no verdict = iota
	// initial: it is, by the essential part.
	initial
	// perhaps: it is in this execution; another with the same essential part
	// may have something in the rest that the branch depends on.
	perhaps
)

// weak says whether b is a weak initial of v. Where only the rest speaks
// against it, v grows by what does.
func (s *sequence) weak(b *branch, where place) verdict {
	for k, i := range s.items {
		e := s.event(i)
		switch {
		case e.thread != b.thread:
			continue
		case e.choice != b.choice:
			return no
		case i < 0:
			return s.weakLast(b, where)
		case s.follows(k):
			return no
		case k < s.essential:
			return initial
		}
		return perhaps
	}
	for _, i := range s.items {
		if s.event(i).dependent(&b.event) {
			return no
		}
	}
	o := s.x.order
	for i := s.c + 1; i < int32(len(o.ev)); i++ {
		if !s.inRest(i) {
			continue
		}
		e := s.event(i)
		if e.thread == b.thread && e.choice == b.choice {
			if s.behind(i) {
				s.grow(i)
				return no
			}
			return perhaps
		}
		if e.dependent(&b.event) {
			s.grow(i)
			return no
		}
	}
	return perhaps
}

// weakLast is weak for a branch b that is the step e' itself. What e' does
// without c is what b did, if b is asleep: something of v may then have to come
// before e' that didn't depend on what e' did after c. (If b was explored from
// this very state, what reverses the two was found there.)
func (s *sequence) weakLast(b *branch, where place) verdict {
	if s.essential > 0 {
		return no
	}
	if where != asleep || s.same(b) {
		return initial
	}
	for _, i := range s.items[:len(s.items)-1] {
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

// same reports whether b did what e' did after c, so that they depend on the
// same.
func (s *sequence) same(b *branch) bool {
	if s.end >= int32(len(s.x.order.ev)) || s.x.order.ev[s.end].thread != b.thread {
		return s.x.opts.OneEvent // e' is pending: an operation
	}
	return s.x.nodes[s.end].cur.event.does(&b.event)
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
		}
	}
	if last {
		s.items = append(s.items, -1)
	}
}

// remove takes b, a weak initial of v, from it.
func (s *sequence) remove(b *branch) {
	for k, i := range s.items {
		if s.event(i).thread == b.thread {
			s.items = append(s.items[:k], s.items[k+1:]...)
			if k < s.essential {
				s.essential--
			}
			return
		}
	}
	o := s.x.order
	for i := s.c + 1; i < int32(len(o.ev)); i++ {
		if o.ev[i].thread == b.thread && s.inRest(i) {
			o.stamp[i] = o.now // it has run: no longer of the rest
			return
		}
	}
}
