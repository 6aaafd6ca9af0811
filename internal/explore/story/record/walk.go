package record

import (
	"iter"

	"landgo/internal/trace"
)

// Walks over the accesses of a record.

// Forward are a thread's accesses from one on.
func (r *Run) Forward(t trace.TID, from At) iter.Seq2[At, *trace.Access] {
	return func(yield func(At, *trace.Access) bool) {
		for i := from.Beat; i < len(r.Beats); i++ {
			b := &r.Beats[i]
			for k := range b.Accesses {
				if b.MadeBy(k) == t && (i > from.Beat || k >= from.Access) && !yield(At{i, k}, &b.Accesses[k]) {
					return
				}
			}
		}
	}
}

// Backward are a thread's accesses before one, the last first.
func (r *Run) Backward(t trace.TID, before At) iter.Seq2[At, *trace.Access] {
	return func(yield func(At, *trace.Access) bool) {
		for i := min(before.Beat, len(r.Beats)-1); i >= 0; i-- {
			b := &r.Beats[i]
			last := len(b.Accesses)
			if i == before.Beat {
				last = min(last, before.Access)
			}
			for k := last - 1; k >= 0; k-- {
				if b.MadeBy(k) == t && !yield(At{i, k}, &b.Accesses[k]) {
					return
				}
			}
		}
	}
}

// End is behind all accesses.
func (r *Run) End() At { return At{len(r.Beats), 0} }

// Source is the last write to an access's bytes before it, by whichever thread; ok if
// there is one. What another thread's store buffer holds isn't written yet.
func (r *Run) Source(x At) (w At, by trace.TID, ok bool) {
	return r.source(x, r.Beats[x.Beat].Step.Thread, r.AccessAt(x))
}

// Latest is the last write to an access's bytes that a thread would find at the end.
func (r *Run) Latest(t trace.TID, a *trace.Access) (w At, by trace.TID, ok bool) {
	return r.source(r.End(), t, a)
}

// source is the last write before x that an access of a thread would find there.
func (r *Run) source(x At, t trace.TID, a *trace.Access) (w At, by trace.TID, ok bool) {
	for i := min(x.Beat, len(r.Beats)-1); i >= 0; i-- {
		b := &r.Beats[i]
		last := len(b.Accesses)
		if i == x.Beat {
			last = x.Access
		}
		for k := last - 1; k >= 0; k-- {
			if r.IsBuffered(i, k) && b.MadeBy(k) != t && r.updateOf(i) > x.Beat {
				continue
			}
			if o := &b.Accesses[k]; o.IsWrite() && o.Addr < a.Addr+uint64(a.Size) && a.Addr < o.Addr+uint64(o.Size) {
				return At{i, k}, b.MadeBy(k), true
			}
		}
	}
	return w, trace.NoThread, false
}

// Before reports whether an access comes before another.
func (x At) Before(y At) bool { return x.Beat < y.Beat || x.Beat == y.Beat && x.Access < y.Access }

// LastOf is a thread's last access before a point to some of an access's bytes; its beat is
// -1 if there is none.
func (r *Run) LastOf(t trace.TID, before At, to *trace.Access) At {
	for x, a := range r.Backward(t, before) {
		if a.Overlaps(to) {
			return x
		}
	}
	return At{-1, 0}
}

// LastConflict is the last access of thread t before another that conflicts with it.
func (r *Run) LastConflict(t trace.TID, mid At, a *trace.Access) (x At, ok bool) {
	lists, few := r.conflicting(t, a)
	if !few {
		for x, o := range r.Backward(t, mid) {
			if o.Conflicts(a) {
				return x, true
			}
		}
		return x, false
	}
	for _, list := range lists {
		for n := since(list, mid) - 1; n >= 0 && !(ok && list[n].Before(x)); n-- {
			if r.AccessAt(list[n]).Conflicts(a) {
				x, ok = list[n], true
				break
			}
		}
	}
	return x, ok
}

// FirstConflict is the first access of thread t, from beat i on, that conflicts
// with a.
func (r *Run) FirstConflict(t trace.TID, i int, a *trace.Access) (x At, ok bool) {
	lists, few := r.conflicting(t, a)
	if !few {
		for x, o := range r.Forward(t, At{Beat: i}) {
			if o.Conflicts(a) {
				return x, true
			}
		}
		return x, false
	}
	for _, list := range lists {
		for n := since(list, At{Beat: i}); n < len(list) && !(ok && x.Before(list[n])); n++ {
			if r.AccessAt(list[n]).Conflicts(a) {
				x, ok = list[n], true
				break
			}
		}
	}
	return x, ok
}

// LastWrite is the run's last write to a variable.
func (r *Run) LastWrite(addr, size uint64) (w At, by trace.TID, ok bool) {
	for i := len(r.Beats) - 1; i >= 0; i-- {
		b := &r.Beats[i]
		for k := len(b.Accesses) - 1; k >= 0; k-- {
			if a := &b.Accesses[k]; a.IsWrite() && a.Addr < addr+size && addr < a.Addr+uint64(a.Size) {
				return At{i, k}, b.MadeBy(k), true
			}
		}
	}
	return w, trace.NoThread, false
}
