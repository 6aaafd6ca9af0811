package story

import (
	"iter"

	"landgo/internal/trace"
)

// Walks over the accesses of a record.

// forward are a thread's accesses from one on.
func (r *record) forward(t trace.TID, from at) iter.Seq2[at, *trace.Access] {
	return func(yield func(at, *trace.Access) bool) {
		for i := from.beat; i < len(r.beats); i++ {
			b := &r.beats[i]
			for k := range b.accesses {
				if b.madeBy(k) == t && (i > from.beat || k >= from.access) && !yield(at{i, k}, &b.accesses[k]) {
					return
				}
			}
		}
	}
}

// backward are a thread's accesses before one, the last first.
func (r *record) backward(t trace.TID, before at) iter.Seq2[at, *trace.Access] {
	return func(yield func(at, *trace.Access) bool) {
		for i := min(before.beat, len(r.beats)-1); i >= 0; i-- {
			b := &r.beats[i]
			last := len(b.accesses)
			if i == before.beat {
				last = min(last, before.access)
			}
			for k := last - 1; k >= 0; k-- {
				if b.madeBy(k) == t && !yield(at{i, k}, &b.accesses[k]) {
					return
				}
			}
		}
	}
}

// end is behind all accesses.
func (r *record) end() at { return at{len(r.beats), 0} }

// source is the last write to an access's bytes before it, by whichever thread; ok if
// there is one. What another thread's store buffer holds isn't written yet.
func (r *record) source(x at) (w at, by trace.TID, ok bool) {
	a := r.accessAt(x)
	for i := x.beat; i >= 0; i-- {
		b := &r.beats[i]
		last := len(b.accesses)
		if i == x.beat {
			last = x.access
		}
		for k := last - 1; k >= 0; k-- {
			if r.buffered(i, k) && b.madeBy(k) != r.beats[x.beat].step.Thread && r.updateOf(i) > x.beat {
				continue
			}
			if o := &b.accesses[k]; o.IsWrite() && o.Addr < a.Addr+uint64(a.Size) && a.Addr < o.Addr+uint64(o.Size) {
				return at{i, k}, b.madeBy(k), true
			}
		}
	}
	return w, trace.NoThread, false
}

// before reports whether an access comes before another.
func (x at) before(y at) bool { return x.beat < y.beat || x.beat == y.beat && x.access < y.access }
