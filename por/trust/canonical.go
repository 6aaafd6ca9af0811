package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// Which of the orders that make one trace counts (doc.go).

// canonical reports whether the graph at hand, an execution, came about in the one
// order in which it is counted. In it each displaced thread was displaced by the
// first event that would displace it. It can only be another if a thread stayed
// displaced while others that don't depend on what displaced it went on (readers of
// a lock that keep a writer waiting).
func (w *Walk) canonical() bool {
	behind := trace.NoThread
	for k := len(w.turned) - 1; k >= 0; k-- {
		r := w.turned[k]
		if w.steps[r].added == revisits && !w.settles(&behind, r) && !w.foremost(r, nil) {
			return false
		}
	}
	return w.representative()
}

// settles goes back over revisit r of the graph at hand, after those behind it. It
// reports whether r couldn't be another event. That is so if the thread that it
// displaced, and all revisits from there on displaced, goes on in turn after them.
// That thread then does what it was kept from, and what depends on that comes
// later. behind is that thread, or NoThread.
func (w *Walk) settles(behind *trace.TID, r int32) bool {
	switch next := int(r) + 1; {
	case next == w.size():
		*behind = trace.NoThread
	case w.steps[next].added == inTurn:
		*behind = w.steps[next].Thread
	}
	if *behind != w.steps[r].displaced.Thread {
		*behind = trace.NoThread
	}
	return *behind != trace.NoThread
}

// foremost reports whether the event of revisit i is the one that guide.first
// chooses from all that follows, or from what of it is in c's K.
func (w *Walk) foremost(i int32, c *candidate) bool {
	a := &w.steps[i]
	e := &a.displaced.Event
	next := int32(-1) // the displaced thread's event then
	w.displ.begin(e)
	for j := a.group; j < int32(w.size()); j++ {
		s := &w.steps[j]
		if c != nil && !c.covered(j) {
			continue
		}
		if s.Thread == e.Thread {
			if next < 0 {
				next = j
			}
			continue
		}
		if (next < 0 || !w.order.Before(next, j)) && s.Dependent(e) {
			w.displ.add(j, &s.Event)
		}
	}
	return w.displ.first(w.order.Before) == i
}

// representative reports whether the graph at hand is the one of its trace that is counted. It is
// finer than the trace where a compare-and-exchange failed on bytes of several writes. The failure
// is ordered like a success, also with reads and other failures that don't depend on it. The one
// that counts is in the order in which Algorithm 1 takes the trace's events, so that it needs no
// more rounds than the trace.
func (w *Walk) representative() bool {
	w.pairs = w.pairs[:0]
	for _, i := range w.weak {
		a := &w.steps[i]
		// All that depends on it in the graph: no clock is before anything.
		w.zero = append(w.zero[:0], make([]int32, w.order.Width())...)
		w.found = w.order.Conflicts(&a.Event, w.zero, w.found[:0])
		for _, j := range w.found {
			if b := &w.steps[j]; !a.truly(b) && (i < j || !b.weak) {
				w.pairs = append(w.pairs, [2]int32{min(i, j), max(i, j)})
			}
		}
	}
	if len(w.pairs) == 0 {
		return true
	}
	w.rank()
	for _, p := range w.pairs {
		if w.taken(p[1], p[0]) {
			return false
		}
	}
	return true
}

// truly reports whether what two events did depends.
func (s *step) truly(t *step) bool {
	a, b := &s.Event, &t.Event
	if s.weak {
		a = &s.did
	}
	if t.weak {
		b = &t.did
	}
	return a.Dependent(b)
}

// rank finds the round of the trace in which Algorithm 1 takes each event.
func (w *Walk) rank() {
	if w.did == nil {
		w.did = relation.NewClocks()
	}
	o := w.did
	o.Clear()
	o.Widen(w.order.Width())
	for i := range w.steps[:w.size()] {
		s := &w.steps[i]
		e := &s.Event
		if s.weak {
			e = &s.did
		}
		s.taken = 0
		if l := o.Last(s.Thread); l >= 0 {
			s.taken = w.steps[l].taken
		}
		for c := range o.Wakers(s.Thread) {
			s.taken = max(s.taken, w.steps[c].taken+wrap(w.steps[c].Thread, s.Thread))
		}
		o.Push(e, trace.Op{})
		for _, c := range o.Direct() {
			s.taken = max(s.taken, w.steps[c].taken+wrap(w.steps[c].Thread, s.Thread))
		}
		for t := range w.order.Woken(int32(i)) {
			o.Wake(t)
		}
	}
}

// taken reports whether Algorithm 1 takes event i before event j.
func (w *Walk) taken(i, j int32) bool {
	a, b := &w.steps[i], &w.steps[j]
	if a.taken != b.taken {
		return a.taken < b.taken
	}
	return a.Thread < b.Thread || a.Thread == b.Thread && i < j
}
