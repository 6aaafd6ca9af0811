package relation

import (
	"iter"
	"slices"

	"landgo/internal/trace"
)

// Order is happens-before on the current execution: a clock vector for each
// event, as in Flanagan and Godefroid §4.1. It is computed from indexes instead
// of by a search through the stack (their §4.2, with reads and writes told apart
// and any number of objects in a transition).
//
// Event i is the i-th of the execution, from 0. A clock holds positions+1, so i
// happens before j iff clock(j)[thread(i)] > i.
//
// Besides dependence, a step happens before the next step of each thread that it
// let go on (Transition.Wakes): no search ever reverses that order. So a step's
// *base* is the clock of what came before it without fail: its thread's last
// event and what woke the thread since.
//
// The indexes (index.go) are stacks that shrink as the search backtracks:
//   - for each 8-byte granule, its accesses, newest first, and among them the
//     writes, newest first, with the bytes that each covers. A write of a byte
//     is after all earlier accesses of that byte, so a walk ends where all its
//     bytes were written;
//   - for each object, its operations, newest first. A walk ends at one that
//     depends on all others of its class ("total").
type Order struct {
	// Ready tells whether thread t could run in the state before event at.
	Ready func(at int32, t trace.TID) bool
	// Races are the reversible races, in the order of their second events.
	Races []Race
	// Settled is set by a search to how many races it has looked at; Pop lowers
	// it to how many of these are left.
	Settled int
	// Looked is the same of events: how many it has looked at that are left.
	Looked int32
	// Releases are pairs of a release and the operation that it let in, if
	// KeepReleases says so.
	Releases     []Race
	KeepReleases bool

	clocksOnly bool // no races, and no events
	width      int  // threads
	clocks     []int32
	ev         []record
	last       []int32   // per thread: position+1 of its last event, 0 for none
	own        [][]int32 // per thread: the positions of its events
	woken      []int32   // per thread: the newest of its wakes since its last event, -1 for none
	wakes      []wake
	advanced   int32   // position+1 of the newest advance of the clock
	needs      []int32 // clocks, see Race

	index
	digests digests

	found   []int32 // the direct predecessors of the event under way, see gather
	cover   []int32 // scratch clocks
	row     []int32
	scratch []int32
	stamp   []uint32
	now     uint32
	drops   []int32 // see possible
	asked   map[asking]struct{}

	buffers
}

// record is the order's note of an event.
type record struct {
	event  *Event
	thread trace.TID
	prev   int32 // position of the thread's previous event, -1
	woken  int32 // o.woken of the thread before the event
	// Lengths of the stacks before the event.
	wakes, accs, ops, races, needs, releases int32

	first    trace.Op // the step's first operation
	pushed   bool     // its thread's store buffer took a store
	advanced int32    // o.advanced before the event
}

type wake struct {
	ev, next int32
	thread   trace.TID
}

// Race is a pair of events in a reversible race: they depend, nothing between
// orders them, and the second could have come first. If it comes first, it needs
// the events of a clock before it: its own clock, or the one that begins at need
// in Order.needs if that isn't -1. They differ where a release let the second
// in: then it needs neither the release nor what came before that.
type Race struct {
	First, Second, need int32
	// found: the first is a load that could have found the second, a store (sources.go).
	found bool
}

// New returns the order of an execution without events.
func New() *Order { return &Order{now: 1, asked: map[asking]struct{}{}} }

// NewClocks returns one that keeps clocks only: it finds no races.
func NewClocks() *Order {
	o := New()
	o.NoRaces()
	return o
}

// NoRaces has an order without events keep clocks only.
func (o *Order) NoRaces() { o.clocksOnly = true }

// Len is the number of events, Width that of the threads in a clock.
func (o *Order) Len() int   { return len(o.ev) }
func (o *Order) Width() int { return o.width }

// Thread is that of event i.
func (o *Order) Thread(i int32) trace.TID { return o.ev[i].thread }

// Prev is the position of the event before event i of its thread, -1 for none.
func (o *Order) Prev(i int32) int32 { return o.ev[i].prev }

// First is the operation that the step of event i began with.
func (o *Order) First(i int32) trace.Op { return o.ev[i].first }

// eventsAfter lists thread t's events behind position i, in order.
func (o *Order) eventsAfter(i int32, t trace.TID) []int32 {
	if int(t) >= len(o.own) {
		return nil
	}
	list := o.own[t]
	first, _ := slices.BinarySearch(list, i+1)
	return list[first:]
}

// Last is the position of thread t's last event, -1 for none.
func (o *Order) Last(t trace.TID) int32 { return o.last[t] - 1 }

// RacesOf is where those races begin whose second event is i or a later one, ReleasesOf
// where the releases do.
func (o *Order) RacesOf(i int32) int    { return int(o.ev[i].races) }
func (o *Order) ReleasesOf(i int32) int { return int(o.ev[i].releases) }

// Clock is that of event i, valid until the next Push.
func (o *Order) Clock(i int32) []int32 {
	return o.clocks[int(i)*o.width : (int(i)+1)*o.width]
}

// Before reports whether event i happens before event j (i != j).
func (o *Order) Before(i, j int32) bool {
	return o.clocks[int(j)*o.width+int(o.ev[i].thread)] > i
}

// Direct are the events that the newest one directly comes after by dependence,
// newest first, as Push found them.
func (o *Order) Direct() []int32 { return o.found }

// Wakers are the events that woke thread t since its last event, newest first.
func (o *Order) Wakers(t trace.TID) iter.Seq[int32] { return o.wakers(o.woken[t]) }

// WakersOf are those that woke the thread of event i before it.
func (o *Order) WakersOf(i int32) iter.Seq[int32] { return o.wakers(o.ev[i].woken) }

func (o *Order) wakers(k int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for ; k >= 0 && yield(o.wakes[k].ev); k = o.wakes[k].next {
		}
	}
}

// Woken are the threads that event i woke.
func (o *Order) Woken(i int32) iter.Seq[trace.TID] {
	return func(yield func(trace.TID) bool) {
		for k := o.ev[i].wakes; int(k) < len(o.wakes) && o.wakes[k].ev == i && yield(o.wakes[k].thread); k++ {
		}
	}
}

func join(dst, src []int32) {
	dst = dst[:len(src)]
	for i, v := range src {
		dst[i] = max(dst[i], v)
	}
}

// Widen makes room for n threads.
func (o *Order) Widen(n int) {
	if n <= o.width {
		return
	}
	w := max(n, 2*o.width, 4)
	o.clocks = widened(o.clocks, o.width, w, 64)
	o.needs = widened(o.needs, o.width, w, 0)
	for i := range o.Races {
		if r := &o.Races[i]; r.need >= 0 {
			r.need = r.need / int32(o.width) * int32(w)
		}
	}
	for i := range o.ev {
		o.ev[i].needs = o.ev[i].needs / int32(max(o.width, 1)) * int32(w)
	}
	o.width = w
	for len(o.last) < w {
		o.last, o.woken, o.own = append(o.last, 0), append(o.woken, -1), append(o.own, nil)
	}
	o.cover, o.row, o.scratch = make([]int32, w), make([]int32, w), make([]int32, w)
}

// widened returns clocks of w threads for those of width, with room for some more.
func widened(clocks []int32, width, w, room int) []int32 {
	n := len(clocks) / max(width, 1)
	wide := make([]int32, n*w, (n+room)*w)
	for i := range n {
		copy(wide[i*w:], clocks[i*width:(i+1)*width])
	}
	return wide
}

// Base writes the clock of what is before thread t's next event without fail.
func (o *Order) Base(dst []int32, t trace.TID) { o.after(dst, o.last[t]-1, o.woken[t]) }

// BaseOf writes the base that event i had.
func (o *Order) BaseOf(dst []int32, i int32) { o.after(dst, o.ev[i].prev, o.ev[i].woken) }

// after writes the clock of event prev, if it isn't -1, and of the wakes from
// number k on.
func (o *Order) after(dst []int32, prev, k int32) {
	if prev >= 0 {
		copy(dst, o.Clock(prev))
	} else {
		clear(dst)
	}
	for ; k >= 0; k = o.wakes[k].next {
		join(dst, o.Clock(o.wakes[k].ev))
	}
}

// Push appends an event and adds the reversible races in which it is the second.
// first is the operation that its step began with. Unless the order has clocks only, e has to
// stay as it is until Pop.
func (o *Order) Push(e *Event, first trace.Op) {
	i := int32(len(o.ev))
	o.ev = append(o.ev, record{thread: e.Thread, prev: o.last[e.Thread] - 1, woken: o.woken[e.Thread], first: first,
		wakes: int32(len(o.wakes)), accs: int32(len(o.accs)), ops: int32(len(o.ops)), races: int32(len(o.Races)),
		needs: int32(len(o.needs)), releases: int32(len(o.Releases)), advanced: o.advanced})
	if o.digests.on {
		o.pushDigest(e, first, i)
		o.enter(e, i)
		return
	}
	n := len(o.clocks)
	if n+o.width > cap(o.clocks) {
		o.clocks = append(make([]int32, 0, 2*cap(o.clocks)+o.width), o.clocks...)
	}
	o.clocks = o.clocks[:n+o.width]
	row := o.clocks[n:]
	o.Base(row, e.Thread)
	if e.Update || e.Flushed > 0 {
		o.afterBuffer(row, e)
	}
	if first.Kind == trace.OpBarrierLeave {
		o.beforeRound(e.Thread, &first, func(c int32) { join(row, o.Clock(c)) })
	}
	o.gather(e, first, row)
	if !o.clocksOnly {
		o.ev[i].event = e
		if len(o.found) > 0 && !e.Late {
			o.race(e, first, i, row)
		}
	}
	for _, c := range o.found {
		if row[o.ev[c].thread] <= c { // else a newer one came after it, and its clock is there
			join(row, o.Clock(c))
		}
	}
	if !o.clocksOnly {
		o.raceLoads(e, i, row)
	}
	row[e.Thread] = i + 1
	o.enter(e, i)
}

// enter puts event i into the indexes and makes it its thread's last.
func (o *Order) enter(e *Event, i int32) {
	o.index.enter(e, i)
	o.enterBuffer(e, i)
	o.last[e.Thread], o.woken[e.Thread] = i+1, -1
	for int(e.Thread) >= len(o.own) { // an order that only finds conflicts isn't widened
		o.own = append(o.own, nil)
	}
	o.own[e.Thread] = append(o.own[e.Thread], i)
	if e.Advance {
		o.advanced = i + 1
	}
}

// race finds the races of event i among its direct predecessors. base is the
// clock of its base.
func (o *Order) race(e *Event, first trace.Op, i int32, base []int32) {
	copy(o.cover, base)
	released := false // some predecessor let e in
	for _, c := range o.found {
		if e.Advance || c+1 == o.advanced || o.cover[o.ev[c].thread] > c {
			continue
		}
		if e.finds(o.ev[c].event) {
			continue // without it the load is another step
		}
		if !o.possible(c, e, first, i) {
			if released = true; o.KeepReleases {
				o.Releases = append(o.Releases, Race{c, i, -1, false})
			}
			continue
		}
		need := int32(-1)
		if released || e.sameTest(o.ev[c].event) {
			need = int32(len(o.needs))
			o.needs = append(o.needs, base...)
			o.need(c, e, o.needs[need:])
		}
		o.Races = append(o.Races, Race{c, i, need, false})
		join(o.cover, o.Clock(c))
	}
}

// need joins into row, a base, the clocks of e's direct predecessors that
// remain if c and what comes with it (o.drops) are left out. Where e finds what c found, it
// comes before or after others of its test.
func (o *Order) need(c int32, e *Event, row []int32) {
	for _, y := range o.found {
		if y > c && !o.dropped(y) && !e.sameTest(o.ev[y].event) {
			join(row, o.Clock(y))
		}
	}
}

// Pending calls f for each event that a thread's blocked operation, e, races with,
// as if it came next. The clock row has what the operation needs to come first.
func (o *Order) Pending(e *Event, first trace.Op, f func(c int32, row []int32)) {
	end := int32(len(o.ev))
	if o.waitsForUpdate(e) {
		return // it is no other thread that it waits for
	}
	base := o.scratch
	o.Base(base, e.Thread)
	if e.Flushed > 0 {
		o.afterBuffer(base, e)
	}
	o.gather(e, first, base)
	copy(o.cover, base)
	for _, c := range o.found {
		if c+1 == o.advanced || o.cover[o.ev[c].thread] > c || !o.possible(c, e, first, end) {
			continue
		}
		join(o.cover, o.Clock(c))
		copy(o.row, base)
		o.need(c, e, o.row)
		f(c, o.row)
	}
}

// Wake notes that the newest event let t go on. Where that is a signal, it is no order for
// good: what t waited for may come first, independently of the signal, and t goes on without
// it. The two race, then, and where t can't go on the reversed step isn't possible.
func (o *Order) Wake(t trace.TID) {
	if e := o.ev[len(o.ev)-1].event; e != nil && e.signals(t) {
		return
	}
	o.Widen(int(t) + 1)
	o.wakes = append(o.wakes, wake{int32(len(o.ev) - 1), o.woken[t], t})
	o.woken[t] = int32(len(o.wakes) - 1)
}

// Pop takes the newest event back.
func (o *Order) Pop() {
	i := len(o.ev) - 1
	r := &o.ev[i]
	for k := len(o.wakes) - 1; k >= int(r.wakes); k-- {
		o.woken[o.wakes[k].thread] = o.wakes[k].next
	}
	o.wakes = o.wakes[:r.wakes]
	o.leave(int(r.accs), int(r.ops))
	o.leaveBuffer(r)
	o.Races, o.needs, o.Releases = o.Races[:r.races], o.needs[:r.needs], o.Releases[:r.releases]
	o.Settled = min(o.Settled, len(o.Races))
	o.advanced = r.advanced
	o.last[r.thread], o.woken[r.thread] = r.prev+1, r.woken
	o.own[r.thread] = o.own[r.thread][:len(o.own[r.thread])-1]
	o.ev = o.ev[:i]
	o.Looked = min(o.Looked, int32(i))
	if o.digests.on {
		o.digests.pop()
		return
	}
	o.clocks = o.clocks[:i*o.width]
}

// Clear takes all events back.
func (o *Order) Clear() {
	for len(o.ev) > 0 {
		o.Pop()
	}
}

// Reset forgets the execution, and all objects and bytes that it met.
func (o *Order) Reset() {
	digests := o.digests.on
	*o = Order{Ready: o.Ready, KeepReleases: o.KeepReleases, clocksOnly: o.clocksOnly, now: 1, asked: o.asked}
	o.digests.on = digests
}

// Unmark empties the set of marked events, a scratch for the caller.
func (o *Order) Unmark() { o.tick(len(o.ev) + 1) }

// Mark puts event i into that set; Marked reports whether it is there.
func (o *Order) Mark(i int32)        { o.stamp[i] = o.now }
func (o *Order) Marked(i int32) bool { return o.stamp[i] == o.now }

// signals reports whether an event sends a thread a signal.
func (e *Event) signals(t trace.TID) bool {
	for i := range e.Ops {
		if e.Ops[i].Kind == trace.OpCancel && e.Ops[i].Obj == uint64(t) {
			return true
		}
	}
	return false
}
