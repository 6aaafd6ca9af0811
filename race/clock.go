package race

import "landgo/internal/trace"

// Vector clocks. A clock is a number into d.vecs and is never changed: a change
// makes another, so that going back is cutting off the end.

// ensure makes room for a thread. A thread's time begins at 1, so that its
// first epoch isn't before everything.
func (d *order) ensure(t trace.TID) {
	for len(d.threads) <= int(t) {
		s := d.newSlots(5)
		d.threads = append(d.threads, threadSlots{s, s + 1, s + 2, s + 3, s + 4})
	}
	if int(t) >= d.width {
		d.widen(int(t) + 1)
	}
	if d.slots[d.threads[t].clock] == 0 {
		n := d.copyClock(0)
		d.clock(n)[t] = 1
		d.set(d.threads[t].clock, n)
	}
}

// widen gives every clock room for n threads. Clocks are numbers, so nothing
// else changes, and a mark has only lengths.
func (d *order) widen(n int) {
	w := max(n, 2*d.width)
	vecs := make([]uint32, len(d.vecs)/d.width*w)
	for i := 0; i < len(d.vecs)/d.width; i++ {
		copy(vecs[i*w:], d.vecs[i*d.width:(i+1)*d.width])
	}
	for i := range d.marks {
		d.marks[i].vecs = d.marks[i].vecs / d.width * w
	}
	d.vecs, d.width = vecs, w
}

func (d *order) clock(n int32) []uint32 {
	return d.vecs[int(n)*d.width : (int(n)+1)*d.width]
}

// copyClock makes a new clock that is like clock n.
func (d *order) copyClock(n int32) int32 {
	m := int32(len(d.vecs) / d.width)
	d.vecs = append(d.vecs, d.clock(n)...)
	return m
}

// joined is a clock that is after both a and b: one of the two if that will do.
func (d *order) joined(a, b int32) int32 {
	if a == b || b == 0 {
		return a
	}
	x, y := d.clock(a), d.clock(b)
	for i, v := range y {
		if v > x[i] {
			return d.merged(a, b, i)
		}
	}
	return a
}

// merged is a new clock after both a and b, of which a is the later one up to thread from.
func (d *order) merged(a, b int32, from int) int32 {
	n := d.copyClock(a)
	x, y := d.clock(n)[from:], d.clock(b)[from:]
	for i, v := range y {
		x[i] = max(x[i], v)
	}
	return n
}

// joinClock puts thread t's next event after clock n.
func (d *order) joinClock(t trace.TID, n int32) {
	s := d.threads[t].clock
	d.set(s, d.joined(d.slots[s], n))
}

// tick moves thread t's own time on, after it has let others see its clock.
func (d *order) tick(t trace.TID) {
	s := d.threads[t].clock
	n := d.copyClock(d.slots[s])
	d.clock(n)[t]++
	d.set(s, n)
}

// now is thread t's own time.
func (d *order) now(t trace.TID) uint32 { return d.clock(d.slots[d.threads[t].clock])[t] }
