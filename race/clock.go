package race

import "landgo/internal/trace"

// Vector clocks. A clock is a number and is never changed: a change makes another, so that going
// back is cutting off the end. With few threads it is a row of vecs. With more than fewThreads it
// has leaves of leafThreads entries each, which clocks share: a change copies one leaf, and two
// clocks are compared only where their leaves differ (leaves.go).

// fewThreads is up to how many threads a clock is one row. That is two leaves at most, so sharing
// them would save little.
const fewThreads = 32

// ensure makes room for a thread. A thread's time begins at 1, so that its
// first epoch isn't before everything.
func (d *order) ensure(t trace.TID) {
	for len(d.threads) <= int(t) {
		s := d.newSlots(7)
		d.threads = append(d.threads, threadSlots{s, s + 1, s + 2, s + 3, s + 4, s + 5, s + 6})
	}
	if int(t) >= d.width {
		d.widen(int(t) + 1)
	}
	if s := d.threads[t].time; d.slots[s] == 0 {
		d.set(s, 1)
	}
}

// widen gives every clock room for n threads. Clocks are numbers, so nothing
// else changes, and a mark has only lengths.
func (d *order) widen(n int) {
	w := max(n, 2*d.width)
	if w > fewThreads {
		d.branch((w + leafThreads - 1) / leafThreads)
		return
	}
	vecs := make([]uint32, len(d.vecs)/d.width*w)
	for i := 0; i < len(d.vecs)/d.width; i++ {
		copy(vecs[i*w:], d.vecs[i*d.width:(i+1)*d.width])
	}
	for i := range d.marks {
		d.marks[i].vecs = d.marks[i].vecs / d.width * w
	}
	d.vecs, d.width = vecs, w
}

// row is clock n, where a clock is one row.
func (d *order) row(n int32) []uint32 {
	return d.vecs[int(n)*d.width : (int(n)+1)*d.width]
}

// at is thread t's time in clock n.
func (d *order) at(n int32, t trace.TID) uint32 {
	if d.span == 0 {
		return d.vecs[int(n)*d.width+int(t)]
	}
	return d.leaf(d.leaves(n)[uint32(t)/leafThreads])[uint32(t)%leafThreads]
}

// with is a new clock that is like clock n, but for thread t's time.
func (d *order) with(n int32, t trace.TID, time uint32) int32 {
	if d.span != 0 {
		return d.branchWith(n, t, time)
	}
	m := d.copyRow(n)
	d.row(m)[t] = time
	return m
}

// copyRow makes a new clock that is like clock n, where a clock is one row.
func (d *order) copyRow(n int32) int32 {
	m := int32(len(d.vecs) / d.width)
	d.vecs = append(d.vecs, d.row(n)...)
	return m
}

// joined is a clock that is after both a and b: one of the two if that will do.
func (d *order) joined(a, b int32) int32 {
	switch {
	case a == b || b == 0:
		return a
	case a == 0:
		return b
	case d.span != 0:
		return d.joinedLeaves(a, b)
	}
	x, y := d.row(a), d.row(b)
	switch before, after := compared(x, y); {
	case !before:
		return a
	case !after:
		return b
	}
	n := d.copyRow(a)
	x, y = d.row(n), d.row(b)
	for i, v := range y {
		x[i] = max(x[i], v)
	}
	return n
}

// compared reports whether some time of a is before b's, and whether one is after it.
func compared(a, b []uint32) (before, after bool) {
	var lo, hi uint32 // their highest bits
	b = b[:len(a)]
	for i, v := range a {
		lo |= v - b[i]
		hi |= b[i] - v
	}
	return int32(lo) < 0, int32(hi) < 0
}

// joinClock puts thread t's next event after clock n.
func (d *order) joinClock(t trace.TID, n int32) {
	s := d.threads[t].clock
	d.set(s, d.joined(d.slots[s], n))
}

// clockOf is thread t's clock with its own time in it, for others to see.
func (d *order) clockOf(t trace.TID) int32 {
	s := &d.threads[t]
	n, now := d.slots[s.clock], d.now(t)
	if d.at(n, t) != now {
		if n = d.with(n, t, now); d.span != 0 && d.publishes {
			d.ids[len(d.ids)-1] = int32(t) + 1
		}
		d.set(s.clock, n)
	}
	return n
}

// tick moves thread t's own time on, after it has let others see its clock.
func (d *order) tick(t trace.TID) {
	s := d.threads[t].time
	d.set(s, d.slots[s]+1)
}

// now is thread t's own time.
func (d *order) now(t trace.TID) uint32 { return uint32(d.slots[d.threads[t].time]) }
