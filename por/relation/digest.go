package relation

import "landgo/internal/trace"

// The digest of the execution's trace, made as it goes on (Order.Digest). Two executions have the
// same digest if and only if they are the same Mazurkiewicz trace, as far as 128 bits go.
//
// A trace is its events and their happens-before order. An event is named by its thread, its
// number within the thread and its outcome. Its clock says how many events of each thread happen
// before it; it is counted so that it doesn't depend on the linearisation. That says all. The
// digest is the sum of the events' hashes, in any order. A clock is hashed as the sum of the names
// of the events that it has.
//
// With a hundred threads, clocks as rows of numbers are most of the work of a step. But an event's
// clock is mostly that of one event that it comes after, with the event itself. So a clock has
// leaves of leafThreads threads each, which clocks share, and the sums of names are kept along.

// digests are an Order's clocks where these make a digest and are asked for nothing else.
type digests struct {
	on     bool
	events []digested
	ids    []int32          // numbers of leaves, clock by clock
	leaves []leaf           // number 0 is of no event
	named  [][]trace.Digest // the names of events, by thread; all executions have the same
	// The clock under way: its leaves, the sum of its names, and the event whose clock it is so
	// far, or nothing, or mixed. That event is of thread of.
	row   []int32
	names trace.Digest
	is    int32
	of    trace.TID
	from  int32 // how many leaves there were before it
}

const (
	nothing = -1
	mixed   = -2
)

// leafThreads is how many threads are in a leaf.
const leafThreads = 16

// leaf is a part of a clock: positions+1, by thread, and the sum of these events' names.
type leaf struct {
	last  [leafThreads]int32
	names trace.Digest
}

// digested is what is kept of an event.
type digested struct {
	sum    trace.Digest // of the events up to this one
	names  trace.Digest // the sum of those in its clock
	number int32        // within its thread, from 0
	ids    int32        // where its leaves begin
	leaves int32        // how many there were before
}

// Digests has an order without events keep the digest of its trace, and no clocks.
func (o *Order) Digests() { o.clocksOnly, o.digests.on = true, true }

// Digest is that of the trace of the events, where Digests was said.
func (o *Order) Digest() trace.Digest {
	if len(o.digests.events) == 0 {
		return trace.Digest{}
	}
	return o.digests.events[len(o.digests.events)-1].sum
}

// pushDigest is Push where the digest is kept: e is event i.
func (o *Order) pushDigest(e *Event, first trace.Op, i int32) {
	d := &o.digests
	d.begin()
	if prev := o.ev[i].prev; prev >= 0 {
		d.join(prev, e.Thread)
	}
	for c := range o.WakersOf(i) {
		o.joinDigest(c)
	}
	if e.Update || e.Flushed > 0 {
		o.beforeBuffer(e, o.joinDigest)
	}
	if first.Kind == trace.OpBarrierLeave {
		o.beforeRound(e.Thread, &first, o.joinDigest)
	}
	o.gather(e, first, o.row) // nothing is said to come before these
	for _, c := range o.found {
		o.joinDigest(c)
	}
	d.end(e)
}

func (o *Order) joinDigest(c int32) { o.digests.join(c, o.ev[c].thread) }

func (d *digests) begin() {
	if len(d.leaves) == 0 {
		d.leaves = append(d.leaves, leaf{})
	}
	d.row, d.names, d.is, d.from = d.row[:0], trace.Digest{}, nothing, int32(len(d.leaves))
}

// clock is the leaves of event c's clock.
func (d *digests) clock(c int32) []int32 {
	end := len(d.ids)
	if int(c)+1 < len(d.events) {
		end = int(d.events[c+1].ids)
	}
	return d.ids[d.events[c].ids:end]
}

// knows reports whether event c of thread t is in a clock.
func (d *digests) knows(clock []int32, c int32, t trace.TID) bool {
	k := int(t) / leafThreads
	return k < len(clock) && d.leaves[clock[k]].last[t%leafThreads] > c
}

// join has the clock under way come after event c, of thread t.
func (d *digests) join(c int32, t trace.TID) {
	if d.knows(d.row, c, t) {
		return
	}
	theirs := d.clock(c)
	if d.is == nothing || d.is >= 0 && d.knows(theirs, d.is, d.of) {
		d.row, d.names, d.is, d.of = append(d.row[:0], theirs...), d.events[c].names, c, t
		return
	}
	d.is = mixed
	for len(d.row) < len(theirs) {
		d.row = append(d.row, 0)
	}
	for k, y := range theirs {
		if x := d.row[k]; x != y && y != 0 {
			d.row[k] = d.joined(x, y, k*leafThreads)
			d.names.Sub(d.leaves[x].names)
			d.names.Add(d.leaves[d.row[k]].names)
		}
	}
}

// joined is a leaf that has the later events of two, y not being empty: one of the two if that will
// do. It begins with thread first.
func (d *digests) joined(x, y int32, first int) int32 {
	a, b := &d.leaves[x], &d.leaves[y]
	var before, after int32 // their highest bits: some event of a is before b's, or after it
	for i := range a.last {
		before |= a.last[i] - b.last[i]
		after |= b.last[i] - a.last[i]
	}
	switch {
	case before >= 0:
		return x
	case after >= 0:
		return y
	}
	l := *a
	for i, c := range b.last {
		if c > l.last[i] {
			d.put(&l, first+i, c)
		}
	}
	d.leaves = append(d.leaves, l)
	return int32(len(d.leaves)) - 1
}

// put makes the event at position c-1 the last of thread t in a leaf.
func (d *digests) put(l *leaf, t int, c int32) {
	last, names := &l.last[t%leafThreads], d.named[t]
	if *last > 0 {
		l.names.Sub(names[d.events[*last-1].number])
	}
	l.names.Add(names[d.events[c-1].number])
	*last = c
}

// name names event number n of thread t, from 0, and those before it.
func (d *digests) name(t trace.TID, n int32) {
	for len(d.named) <= int(t) {
		d.named = append(d.named, nil)
	}
	for k := len(d.named[t]); k <= int(n); k++ {
		h := trace.NewHash()
		h.Word(uint64(t)<<32 | uint64(k+1))
		d.named[t] = append(d.named[t], h.Sum())
	}
}

// end has the clock under way be that of e.
func (d *digests) end(e *Event) {
	i, t := int32(len(d.events)), int(e.Thread)
	for len(d.row) <= t/leafThreads {
		d.row = append(d.row, 0)
	}
	own := &d.row[t/leafThreads]
	number := int32(0)
	if last := d.leaves[*own].last[t%leafThreads]; last > 0 {
		number = d.events[last-1].number + 1
	}
	d.name(e.Thread, number)
	d.leaves = append(d.leaves, d.leaves[*own])
	*own = int32(len(d.leaves)) - 1
	l := &d.leaves[*own]
	d.names.Sub(l.names)
	d.events = append(d.events, digested{number: number, ids: int32(len(d.ids)), leaves: d.from})
	d.put(l, t, i+1)
	d.names.Add(l.names)
	d.ids = append(d.ids, d.row...)
	h := trace.NewHash()
	h.Words(uint64(t)<<32|uint64(number+1), uint64(e.Choice), d.names[0], d.names[1])
	r := &d.events[i]
	r.names, r.sum = d.names, h.Sum()
	if i > 0 {
		r.sum.Add(d.events[i-1].sum)
	}
}

// pop takes the newest event back.
func (d *digests) pop() {
	i := len(d.events) - 1
	d.ids, d.leaves, d.events = d.ids[:d.events[i].ids], d.leaves[:d.events[i].leaves], d.events[:i]
}
