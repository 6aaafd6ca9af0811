package relation

import (
	"math"
	"slices"

	"landgo/internal/trace"
)

// Sequence is the v of a reversed race (c, e'): what can be run in the state
// before event c to have e' without c. Take the events that come after c and
// don't happen after it (or after what else o.drops has). Those that happen
// before e', and e' itself, are the *essential* part, in their order. The others
// are the *rest*: it commutes with the essential part, and is added as far as it
// is needed.
//
// After a state, a branch is a *weak initial* of v if it is a first step of v, or
// depends on none of v's (JACM 2017, Definition 3.5). The paper's v is the
// essential part and all of the rest; grow makes the difference.
//
// e' *may vary*: in its new place, without c, it may do something else than
// after c. A try or compare-and-exchange that failed may succeed, and at coarse
// granularity anything may follow its beginning. Then all of the rest that e'
// may later depend on is essential, and comes before it. That e' may also come
// before that is found from there.
type Sequence struct {
	o        *Order
	oneEvent bool

	From   int32 // the state before event From is where v starts
	Last   *Step // e', as far as it is known in its new place
	Varies bool  // e' may do something else there
	First  bool  // e' is its thread's first step after that state
	// Persistent: only the essential part's first steps count as initials
	// (Nidhugg-DPOR).
	Persistent bool

	// Joint, if not nil, reports whether there is an execution with v and b, a step that
	// depends on nothing of it, after the steps aside. Else there always is.
	Joint func(b *Step, aside []*Step) bool
	aside []*Step // were taken from v, and aren't of it
	taken []*Step // all that were taken

	end    int32   // position of e', or the execution's length if e' is pending
	upto   int32   // of an execution that goes on from here all may be another
	row    []int32 // a clock of what e' needs before it
	search bool    // row doesn't have all of it: what e' depends on has to be looked for
	whole  []int32 // the essential part, without e'
	near   []int32 // the items of collect that aren't left out
	join   []int32 // of the clocks of what e' needs and of the essential part

	items     []int32 // v, without what was taken from it; -1, last, is e'
	room      []int32 // where items begins
	essential int     // items[:essential] are of the essential part
	after     int     // how many items came after e'
	own       Step    // e' of a race

	starts int // insertions since v was made
	// See Excuse: of the branch that was asked about last, and of one that leaves v out.
	at, excusedAt     int32
	beside, excusedBy *Event
	excused           bool
}

// NewSequence returns one over the executions of o. oneEvent promises that a
// step's thread alone settles what the step works on (Step.Blur).
func NewSequence(o *Order, oneEvent bool) *Sequence { return &Sequence{o: o, oneEvent: oneEvent} }

// Reverse makes v for the race r, and says how many events were looked at for that.
func (s *Sequence) Reverse(r Race) (looked uint64) {
	o := s.o
	s.starts = 0
	o.drops = append(o.drops[:0], r.First)
	if r.found {
		s.findSecond(r)
		return s.looked()
	}
	cur := o.ev[r.Second].event
	if first := o.ev[r.Second].first; first.Kind == trace.OpWriteLock {
		o.possible(r.First, cur, first, r.Second)
	}
	s.own.Copy(cur)
	s.From, s.end, s.upto, s.Last, s.Varies = r.First, r.Second, r.Second, &s.own, s.own.Blur(s.oneEvent)
	s.Varies = s.own.takenBefore(o.ev[r.First].event) || s.Varies
	s.First = o.ev[r.Second].prev < r.First
	s.row = o.Clock(r.Second)
	if r.need >= 0 {
		s.row = o.needs[r.need:]
	}
	s.search = s.Varies || r.need >= 0 && s.hidden()
	s.collect()
	return s.looked()
}

// looked is how many events, or threads without one, collect looked at.
func (s *Sequence) looked() uint64 {
	if s.search {
		return uint64(s.o.width + len(s.near))
	}
	return uint64(s.o.width + len(s.whole))
}

// Pending makes v for the race of c with e, a step that is blocked at the end of
// the execution; row is the clock of what e needs. Preconditions: Order.Pending
// gave both just now.
func (s *Sequence) Pending(c int32, e *Step, row []int32) {
	s.From, s.end, s.Last, s.Varies = c, int32(len(s.o.ev)), e, e.Wild
	s.upto = s.end
	s.First = s.o.last[e.Thread] <= c
	s.row, s.search = row, s.Varies || s.hidden()
	s.collect()
}

// Alone makes the v that is e' only: a step that the end of the process, c,
// kept from being taken.
func (s *Sequence) Alone(c int32, e *Step) {
	s.o.drops = append(s.o.drops[:0], c)
	s.From, s.end, s.upto, s.Last, s.Varies, s.First = c, c+1, c+1, e, false, true
	s.whole = s.whole[:0]
}

// Single reports whether e' alone is essential.
func (s *Sequence) Single() bool { return len(s.whole) == 0 }

// Lead is the essential part's first step, as an item.
func (s *Sequence) Lead() int32 {
	if s.Single() {
		return -1
	}
	return s.whole[0]
}

// Has reports whether event i is before v, or in it, essential or of the rest.
func (s *Sequence) Has(i int32) bool { return i < s.From || i != s.end && !s.o.dropped(i) }

// End is the position of e', or the execution's length if e' is pending.
func (s *Sequence) End() int32 { return s.end }

// Items are v's events in order, without what Remove took; -1, the last, is e'.
func (s *Sequence) Items() []int32 { return s.items }

// hidden reports whether e' may depend on events that a release hides, which is
// left out. What e' had to come after was found behind the release only for the
// object that e' waits for. A write, or another operation, that goes with the
// release hides earlier ones from what else e' does.
func (s *Sequence) hidden() bool {
	e := s.Last
	return len(e.Accesses)+len(e.Waits) > 0 || len(e.Ops) != 1 || s.o.plain(&e.Ops[0])
}

// collect finds the essential part.
func (s *Sequence) collect() {
	o := s.o
	s.whole = s.whole[:0]
	if !s.search {
		// Each thread's events, newest first: the time is that of what e' needs,
		// not of what lies between.
		for _, n := range s.row[:o.width] {
			i := n - 1
			if i == s.end {
				i = o.ev[i].prev
			}
			for ; i > s.From; i = o.ev[i].prev {
				if !o.dropped(i) {
					s.whole = append(s.whole, i)
				}
			}
		}
		slices.Sort(s.whole)
		return
	}
	s.nearby()
	// An event is before one of the essential part if it is in the join of their clocks.
	s.join = append(s.join[:0], s.row[:o.width]...)
	for _, i := range slices.Backward(s.near) {
		if i == s.end || s.join[o.ev[i].thread] <= i && !s.Last.Dependent(s.Event(i)) {
			continue
		}
		s.whole = append(s.whole, i)
		for t, n := range o.Clock(i) {
			s.join[t] = max(s.join[t], n)
		}
	}
	slices.Reverse(s.whole)
}

// nearby lists the events behind From that aren't left out, in order.
func (s *Sequence) nearby() {
	o := s.o
	s.near = s.near[:0]
	if n := int32(len(o.ev)); int(n-s.From) <= fewEvents*o.width {
		for i := s.From + 1; i < n; i++ {
			if !o.dropped(i) {
				s.near = append(s.near, i)
			}
		}
		return
	}
	// Behind an event that is left out, all of its thread's are. An execution of a loop that
	// waits by tries has thousands of events, and as many such races: so the time is that of
	// what is not left out.
	for t := range o.own {
		list := o.eventsAfter(s.From, trace.TID(t))
		n, _ := slices.BinarySearchFunc(list, true, func(i int32, _ bool) int {
			if o.dropped(i) {
				return 0
			}
			return -1
		})
		s.near = append(s.near, list[:n]...)
	}
	slices.Sort(s.near)
}

// fewEvents: to look at so many events for each thread takes no longer than to search for
// those that aren't left out, and to sort them.
const fewEvents = 16

// Start begins an insertion with the essential part.
func (s *Sequence) Start() {
	o := s.o
	o.tick(len(o.ev) + 1)
	s.items = append(append(s.room[:0], s.whole...), -1)
	s.room, s.essential, s.after = s.items, len(s.whole), 0
	s.aside, s.taken = s.aside[:0], s.taken[:0]
	s.starts++
	s.excused = false
	for _, i := range s.whole {
		o.stamp[i] = o.now
		if i > s.upto {
			s.after++
		}
	}
}

// Event is the event of item i.
func (s *Sequence) Event(i int32) *Event {
	if i < 0 {
		return &s.Last.Event
	}
	return s.o.ev[i].event
}

// Found reports whether v reverses a race of a load with a store that it could have found.
func (s *Sequence) Found() bool { return s.upto < s.end }

// Essential reports whether event i is of the essential part, e' left out.
func (s *Sequence) Essential(i int32) bool { _, is := slices.BinarySearch(s.whole, i); return is }

// thread is that of item i, found with less to look at.
func (s *Sequence) thread(i int32) trace.TID {
	if i < 0 {
		return s.Last.Thread
	}
	return s.o.ev[i].thread
}

// Verdict says whether a branch is a weak initial of v.
type Verdict uint8

const (
	No Verdict = iota
	// initial: it is, whatever else the execution does after e'.
	Initial
	// perhaps: it is in this execution; another with the same events up to e'
	// may have something later that has to come before it.
	Perhaps
)

// Begins says how far it is settled that item i, a first step of v, is one.
func (s *Sequence) Begins(i int32) Verdict {
	if i < 0 && s.Varies || i > s.upto {
		return Perhaps
	}
	return Initial
}

// Later reports whether v has events that came after e'.
func (s *Sequence) Later() bool { return s.after > 0 }

// Starts says whether b is a first step of v (an initial), and found whether v has
// a step of its thread. known: b is asleep or explored, so its effects are known.
func (s *Sequence) Starts(b *Step, known bool) (how Verdict, found bool) {
	s.at = unsure
	for k, i := range s.items {
		if s.thread(i) != b.Thread {
			continue
		}
		if s.Event(i).Choice != b.Choice || i >= 0 && s.follows(k) || i < 0 && !s.lastBegins(b, known) {
			return No, true
		}
		if i >= 0 {
			s.at = i
		}
		return s.Begins(i), true
	}
	if s.Persistent {
		return No, false
	}
	i, found := s.firstOf(b.Thread)
	if !found {
		return No, false
	}
	if s.Event(i).Choice != b.Choice || s.behind(i) {
		s.grow(i)
		return No, true
	}
	s.at = i
	return s.Begins(i), true
}

// firstOf is the first event of the rest that is thread t's. An execution may have a
// hundred thousand events, so only those of the thread are looked at; and behind one that
// is left out, all of them are.
func (s *Sequence) firstOf(t trace.TID) (int32, bool) {
	for _, i := range s.o.eventsAfter(s.From, t) {
		if s.inRest(i) {
			return i, true
		}
		if s.o.dropped(i) {
			break
		}
	}
	return 0, false
}

// lastBegins reports whether b, the step e' itself, may be the first of v. If b
// was run from this state or sleeps there, it did what e' does there.
func (s *Sequence) lastBegins(b *Step, known bool) bool {
	more := b.More
	for _, i := range s.items[:s.essential] {
		if !known || s.row[s.Event(i).Thread] > i || s.Event(i).Dependent(&b.Event) || s.Event(i).AddsAlike(&b.Event) && more == 0 {
			return false
		}
		if s.Event(i).AddsAlike(&b.Event) {
			more--
		}
	}
	return true
}

// Weak says whether b is a weak initial of v. Where only the rest speaks
// against it, v grows by what does.
func (s *Sequence) Weak(b *Step, known bool) Verdict {
	if how, found := s.Starts(b, known); found {
		return how
	}
	e := &b.Event
	adds, more, beside := e.tested() != nil, b.More, []int32(nil) // room for additions like b's, and those of the rest
	var later []phase
	if s.o.buffered {
		e, later = s.answered(e)
	}
	depends := func(i int32) bool {
		at := i
		if i < 0 && s.Varies {
			at = math.MaxInt32 // its predecessors there aren't known
		} else if i < 0 {
			at = s.end
		}
		e := e
		for _, p := range later {
			if at <= p.after {
				break
			}
			e = p.event
		}
		if !adds || !s.Event(i).AddsAlike(e) {
			return s.Event(i).Dependent(e)
		}
		if more == 0 {
			return true
		}
		more--
		return false
	}
	for _, i := range s.items {
		if depends(i) {
			return No
		}
	}
	for i := s.From + 1; i < int32(len(s.o.ev)); i++ {
		if !s.inRest(i) {
			continue
		}
		before := more
		if depends(i) {
			for _, j := range beside { // all of these together are too many
				s.grow(j)
			}
			s.grow(i)
			return No
		}
		if more != before {
			beside = append(beside, i)
		}
	}
	if s.Joint != nil && !s.Joint(b, s.aside) {
		return No
	}
	if s.at, s.beside = -1, e; len(later) > 0 {
		s.beside = later[len(later)-1].event // it depends on all that it does before
	}
	return Perhaps
}

// inRest reports whether event i is of the rest, and not yet taken.
func (s *Sequence) inRest(i int32) bool {
	o := s.o
	return i != s.end && o.stamp[i] != o.now && !o.dropped(i)
}

// follows reports whether the item at index k comes after something in v that
// it depends on.
func (s *Sequence) follows(k int) bool {
	for _, j := range s.items[:k] {
		if i := s.items[k]; j < i && s.o.Before(j, i) {
			return true
		}
	}
	return false
}

// behind reports whether event i of the rest happens after anything else of v.
func (s *Sequence) behind(i int32) bool {
	o := s.o
	for _, j := range s.items {
		if j >= 0 && j < i && o.Before(j, i) {
			return true
		}
	}
	for t, n := range o.Clock(i) { // the first n events of the execution may have some of t's before i
		for _, j := range o.eventsAfter(s.From, trace.TID(t)) {
			if j >= min(n, i) || o.dropped(j) {
				break
			}
			if s.inRest(j) {
				return true
			}
		}
	}
	return false
}

// grow adds event i of the rest to v, with what happens before it.
func (s *Sequence) grow(i int32) {
	o := s.o
	last := len(s.items) > 0 && s.items[len(s.items)-1] < 0
	if last {
		s.items = s.items[:len(s.items)-1]
	}
	for j := s.From + 1; j <= i; j++ {
		if (j == i || o.Before(j, i)) && s.inRest(j) {
			o.stamp[j] = o.now
			s.items = append(s.items, j)
			if j > s.upto {
				s.after++
			}
		}
	}
	if last {
		s.items = append(s.items, -1)
	}
}

// Remove takes b, a weak initial of v, from it.
func (s *Sequence) Remove(b *Step) {
	if s.o.buffered {
		s.taken = append(s.taken, b)
	}
	for k, i := range s.items {
		if s.thread(i) == b.Thread {
			// The taken item is mostly near the start, so those before it move.
			copy(s.items[1:k+1], s.items[:k])
			s.items = s.items[1:]
			if k < s.essential {
				s.essential--
			}
			if i > s.upto {
				s.after--
			}
			return
		}
	}
	o := s.o
	if i, found := s.firstOf(b.Thread); found {
		o.stamp[i] = o.now // it has run: no longer of the rest
	} else if s.Joint != nil {
		s.aside = append(s.aside, b)
	}
}
