package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// bytesOf is where additions are made.
type bytesOf struct {
	addr uint64
	size uint32
}

// sameBytes is the additions to the same bytes, by thread.
type sameBytes struct {
	threads []threadCounts
	// For one of them, e: those of each thread that come in any order with it.
	windows []window
	e       *countAt
}

// threadCounts has a thread's additions, in order; sums[i] is the sum of the first i.
type threadCounts struct {
	thread trace.TID
	tested bool
	list   []countAt
	sums   []int64
}

// byBytes sorts the list. What it returns is used again by the next call.
func (c *counts) byBytes(o *relation.Order) []sameBytes {
	if c.places == nil {
		c.places = map[bytesOf]int{}
	}
	clear(c.places)
	c.same = c.same[:0]
	for i := len(c.list) - 1; i >= 0; i-- { // the newest is the first
		k := &c.list[i]
		key := bytesOf{k.Addr, k.Size}
		n, ok := c.places[key]
		if !ok {
			n = len(c.same)
			c.places[key] = n
			var b *sameBytes
			c.same, b = another(c.same)
			b.threads = b.threads[:0]
		}
		c.same[n].add(o.Thread(k.at), k)
	}
	return c.same
}

// another returns the list with one more, and that: with the room that it had in an earlier list.
func another[T any](list []T) ([]T, *T) {
	if n := len(list); n < cap(list) {
		list = list[:n+1]
	} else {
		var fresh T
		list = append(list, fresh)
	}
	return list, &list[len(list)-1]
}

func (b *sameBytes) add(t trace.TID, k *countAt) {
	i := slices.IndexFunc(b.threads, func(x threadCounts) bool { return x.thread == t })
	if i < 0 {
		i = len(b.threads)
		var x *threadCounts
		b.threads, x = another(b.threads)
		x.thread, x.tested, x.list, x.sums = t, false, x.list[:0], append(x.sums[:0], 0)
	}
	x := &b.threads[i]
	x.list = append(x.list, *k)
	x.sums = append(x.sums, x.sums[len(x.sums)-1]+k.Added)
	if k.Least != 0 {
		x.tested = true
	}
}

// window is a thread's additions that come in any order with one of another thread: from lo up to hi.
// Up to mid it came before, in this execution. The three only rise with the other's additions.
type window struct {
	of              *threadCounts
	lo, mid, hi     int
	least, greatest extremes // of the sums from lo to hi
	ends            int      // how many sums have been looked at
}

// extremes are where the sums of a window are least, or greatest: list[first] is; behind each are
// those that are when it has left the window.
type extremes struct {
	list  []int
	first int
}

func (x *extremes) at() int { return x.list[x.first] }

// enter has i come behind all that it is beyond.
func (x *extremes) enter(i int, beyond func(int) bool) {
	for len(x.list) > x.first && beyond(x.list[len(x.list)-1]) {
		x.list = x.list[:len(x.list)-1]
	}
	x.list = append(x.list, i)
}

// leave takes out what is before lo.
func (x *extremes) leave(lo int) {
	for x.at() < lo {
		x.first++
	}
}

func (w *window) list() []countAt { return w.of.list[w.lo:w.hi] }

// move moves the window on to the next addition.
func (w *window) move(o *relation.Order, e *countAt, f fault) {
	l := w.of.list
	for w.lo < len(l) && o.Before(l[w.lo].at, e.at) {
		w.lo++
	}
	for w.mid < len(l) && l[w.mid].at < e.at {
		w.mid++
	}
	for w.hi = max(w.hi, w.mid); w.hi < len(l) && !o.Before(e.at, l[w.hi].at); {
		w.hi++
	}
	switch f {
	case asItWas:
		w.lo, w.hi = w.mid, w.mid
	case behindIt:
		w.hi = w.mid
	}
	sums := w.of.sums
	for ; w.ends <= w.hi; w.ends++ {
		n := sums[w.ends]
		w.least.enter(w.ends, func(i int) bool { return sums[i] >= n })
		w.greatest.enter(w.ends, func(i int) bool { return sums[i] <= n })
	}
	w.least.leave(w.lo)
	w.greatest.leave(w.lo)
}

// windowsOf calls look for each addition of thread t whose result is tested, with bounds for what
// it finds. No order has it find less than low, or more than high.
func (b *sameBytes) windowsOf(o *relation.Order, t int, f fault, look func(e *countAt, low, high int64)) {
	b.windows = b.windows[:0]
	for i := range b.threads {
		if i != t {
			var w *window
			b.windows, w = another(b.windows)
			*w = window{of: &b.threads[i], least: extremes{list: w.least.list[:0]}, greatest: extremes{list: w.greatest.list[:0]}}
		}
	}
	own := b.threads[t].list
	for i := range own {
		if b.e = &own[i]; b.e.Least == 0 {
			continue
		}
		low, high := b.e.Before, b.e.Before
		for k := range b.windows {
			w := &b.windows[k]
			w.move(o, b.e, f)
			now := w.of.sums[w.mid]
			low, high = low+w.of.sums[w.least.at()]-now, high+w.of.sums[w.greatest.at()]-now
		}
		look(b.e, low, high)
	}
}

// within is how many additions come in any order with e.
func (b *sameBytes) within() (n int) {
	for i := range b.windows {
		n += b.windows[i].hi - b.windows[i].lo
	}
	return n
}

// base is the value that e finds where none of them comes before it.
func (b *sameBytes) base() int64 {
	n := b.e.Before
	for i := range b.windows {
		w := &b.windows[i]
		n -= w.of.sums[w.mid] - w.of.sums[w.lo]
	}
	return n
}
