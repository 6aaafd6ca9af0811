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
	// Of one of them, e: those of each thread that come in any order with it.
	windows []window
	e       *countAt
}

// threadCounts has a thread's additions, in order; sums[i] is the sum of the first i.
type threadCounts struct {
	thread trace.TID
	list   []countAt
	sums   []int64
}

// byBytes sorts the list.
func (c *counts) byBytes(o *relation.Order) (all []*sameBytes) {
	made := map[bytesOf]*sameBytes{}
	for i := len(c.list) - 1; i >= 0; i-- { // the newest is the first
		k := &c.list[i]
		key := bytesOf{k.Addr, k.Size}
		b := made[key]
		if b == nil {
			b = &sameBytes{}
			made[key], all = b, append(all, b)
		}
		b.add(o.Thread(k.at), k)
	}
	return all
}

func (b *sameBytes) add(t trace.TID, k *countAt) {
	i := slices.IndexFunc(b.threads, func(x threadCounts) bool { return x.thread == t })
	if i < 0 {
		i = len(b.threads)
		b.threads = append(b.threads, threadCounts{thread: t, sums: []int64{0}})
	}
	x := &b.threads[i]
	x.list = append(x.list, *k)
	x.sums = append(x.sums, x.sums[len(x.sums)-1]+k.Added)
}

// window is a thread's additions that come in any order with one of another thread: from lo up to hi.
// Up to mid it came before, in this execution. The three only rise with the other's additions.
type window struct {
	of          *threadCounts
	lo, mid, hi int
	// Where the sums from lo to hi are least and greatest: the first of each is; behind each are
	// those that are when it has left the window.
	least, greatest []int
	ends            int // how many sums have been looked at
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
		w.least = append(dropTail(w.least, func(i int) bool { return sums[i] >= n }), w.ends)
		w.greatest = append(dropTail(w.greatest, func(i int) bool { return sums[i] <= n }), w.ends)
	}
	for w.least[0] < w.lo {
		w.least = w.least[1:]
	}
	for w.greatest[0] < w.lo {
		w.greatest = w.greatest[1:]
	}
}

func dropTail(list []int, drop func(int) bool) []int {
	for len(list) > 0 && drop(list[len(list)-1]) {
		list = list[:len(list)-1]
	}
	return list
}

// windowsOf calls look for each addition of thread t whose result is tested, with bounds for what
// it finds. No order has it find less than low, or more than high.
func (b *sameBytes) windowsOf(o *relation.Order, t int, f fault, look func(e *countAt, low, high int64)) {
	b.windows = b.windows[:0]
	for i := range b.threads {
		if i != t {
			b.windows = append(b.windows, window{of: &b.threads[i]})
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
			low, high = low+w.of.sums[w.least[0]]-now, high+w.of.sums[w.greatest[0]]-now
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
