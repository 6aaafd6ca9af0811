package race

import "landgo/internal/trace"

// Clocks of many threads. Two clocks mostly have the same times for most threads, and share the
// leaves that have these. So a step costs what it changes: a leaf for the thread's own time where
// others see that, and the leaves in which another clock that it joins knows more. Mostly one of
// two clocks is after the other, and takes the place of both.

// leafThreads is how many threads' times are in a leaf. Leaf 0 is all zeros.
const leafThreads = 16

type leaf [leafThreads]uint32

// branch gives every clock this many leaves.
func (d *order) branch(span int) {
	old := d.clocks()
	ids := make([]int32, old*(span+1))
	if d.span != 0 {
		for i := range old {
			copy(ids[i*(span+1):], d.leaves(int32(i)))
			ids[i*(span+1)+span] = d.shownBy(int32(i))
		}
		for i := range d.marks {
			d.marks[i].ids = d.marks[i].ids / (d.span + 1) * (span + 1)
		}
	} else {
		d.vecs = d.planted(ids, span)
	}
	d.ids, d.span, d.width = ids, span, span*leafThreads
}

// planted is the leaves of all clocks, which are rows yet. They come clock by clock, so that a
// mark is a length again.
func (d *order) planted(ids []int32, span int) []uint32 {
	leaves := make([]uint32, leafThreads)
	lengths := make([]int, 0, d.clocks()+1)
	for i := range d.clocks() {
		lengths = append(lengths, len(leaves))
		row := d.row(int32(i))
		for k := 0; k*leafThreads < len(row); k++ {
			var l leaf
			copy(l[:], row[k*leafThreads:])
			if l != (leaf{}) {
				ids[i*(span+1)+k] = int32(len(leaves) / leafThreads)
				leaves = append(leaves, l[:]...)
			}
		}
	}
	lengths = append(lengths, len(leaves))
	for i := range d.marks {
		m := &d.marks[i]
		n := m.vecs / d.width
		m.vecs, m.ids = lengths[n], n*(span+1)
	}
	return leaves
}

// clocks is how many there are.
func (d *order) clocks() int {
	if d.span != 0 {
		return len(d.ids) / (d.span + 1)
	}
	return len(d.vecs) / d.width
}

// leaves are the numbers of clock n's leaves.
func (d *order) leaves(n int32) []int32 {
	at := int(n) * (d.span + 1)
	return d.ids[at : at+d.span]
}

// shownBy is 1 more than the thread t that has made clock n for others to see, and has ticked then.
// A thread that knows t's time in it has seen it, or a later one of t's: their clocks are after n. 0: it isn't
// known which thread made it.
func (d *order) shownBy(n int32) int32 { return d.ids[int(n)*(d.span+1)+d.span] }

// saw reports whether clock b is after a for sure, by what shownBy says of a.
func (d *order) saw(b, a int32) bool {
	t := trace.TID(d.shownBy(a)) - 1
	return t >= 0 && d.at(b, t) >= d.at(a, t)
}

func (d *order) leaf(i int32) *leaf { return (*leaf)(d.vecs[int(i)*leafThreads:]) }

// newLeaf makes a leaf that has these times.
func (d *order) newLeaf(l *leaf) int32 {
	d.vecs = append(roomy(d.vecs, leafThreads), l[:]...)
	return int32(len(d.vecs)/leafThreads) - 1
}

// copyLeaves makes a new clock that has the leaves of clock n.
func (d *order) copyLeaves(n int32) int32 {
	m := int32(len(d.ids) / (d.span + 1))
	d.ids = append(append(roomy(d.ids, d.span+1), d.leaves(n)...), 0)
	return m
}

func (d *order) branchWith(n int32, t trace.TID, time uint32) int32 {
	at := uint32(t) / leafThreads
	l := *d.leaf(d.leaves(n)[at])
	l[uint32(t)%leafThreads] = time
	m := d.copyLeaves(n)
	d.leaves(m)[at] = d.newLeaf(&l)
	return m
}

func (d *order) joinedLeaves(a, b int32) int32 {
	switch {
	case d.saw(b, a):
		return b
	case d.saw(a, b):
		return a
	}
	d.under = append(d.under[:0], d.leaves(a)...)
	isA, isB := true, true
	for k, y := range d.leaves(b) {
		x := d.under[k]
		if x == y {
			continue
		}
		n := x
		if y != 0 {
			n = d.joinedLeaf(x, y)
		}
		d.under[k], isA, isB = n, isA && n == x, isB && n == y
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	n := int32(d.clocks())
	d.ids = append(append(roomy(d.ids, d.span+1), d.under...), 0)
	return n
}

// joinedLeaf is a leaf that has the later times of two: one of them if that will do.
func (d *order) joinedLeaf(a, b int32) int32 {
	if a == 0 {
		return b
	}
	x, y := d.leaf(a), d.leaf(b)
	switch before, after := compared(x[:], y[:]); {
	case !before:
		return a
	case !after:
		return b
	}
	var l leaf
	for i := range x {
		l[i] = max(x[i], y[i])
	}
	return d.newLeaf(&l)
}
