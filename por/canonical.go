package por

// Which of the orders that make one trace counts (trust.go).

// canonical reports whether the graph at hand, an execution, came about in the
// one order in which it is counted: that in which each displaced thread was
// displaced by the event that first would be. It can only be another if a thread
// stayed displaced while others that don't depend on what displaced it went on
// (readers of a lock that keep a writer waiting).
func (w *trust) canonical() bool {
	n := int32(w.size())
	for i := int32(0); i < n; i++ {
		if w.steps[i].added == revisits && !w.settled(i) && !w.foremost(i) {
			return false
		}
	}
	return w.representative()
}

// settled reports whether the thread displaced by revisit i went on right after.
func (w *trust) settled(i int32) bool {
	v := w.steps[i].displaced.thread
	for i++; i < int32(w.size()) && w.steps[i].added != inTurn; i++ {
		if w.steps[i].added == revisits && w.steps[i].displaced.thread != v {
			return false
		}
	}
	return i < int32(w.size()) && w.steps[i].thread == v
}

// foremost reports whether the event of revisit i is the one that first()
// chooses from all that follows.
func (w *trust) foremost(i int32) bool {
	a := &w.steps[i]
	e := &a.displaced.event
	next := int32(-1) // what the displaced thread did then
	found := w.found[:0]
	for j := a.group; j < int32(w.size()); j++ {
		s := &w.steps[j]
		if s.thread == e.thread {
			if next < 0 {
				next = j
			}
			continue
		}
		if next >= 0 && w.order.before(next, j) || !s.dependent(e) {
			continue
		}
		minimal := true
		for _, f := range found {
			minimal = minimal && !w.order.before(f, j)
		}
		found = append(found, j)
		if minimal && s.thread < a.thread {
			w.found = found
			return false
		}
	}
	w.found = found
	return true
}

// representative reports whether the graph at hand is the one of its trace that
// is counted. It is finer than the trace where something failed: that stands in
// the graph for what it may be elsewhere, and is ordered with reads and other
// failures that don't depend on it. The one that counts is in the order in which
// Algorithm 1 takes the trace's events, so that it needs no more rounds than
// the trace.
func (w *trust) representative() bool {
	w.pairs = w.pairs[:0]
	n := int32(w.size())
	for i := int32(0); i < n; i++ {
		for j := int32(0); j < n && w.steps[i].weak; j++ {
			a, b := &w.steps[i], &w.steps[j]
			if a.thread != b.thread && a.dependent(&b.event) && !a.truly(b) && (i < j || !b.weak) {
				w.pairs = append(w.pairs, [2]int32{min(i, j), max(i, j)})
			}
		}
	}
	if len(w.pairs) == 0 {
		return true
	}
	rank := w.ranks()
	for _, p := range w.pairs {
		if rank[p[0]] > rank[p[1]] {
			return false
		}
	}
	return true
}

// truly reports whether what two events did depends.
func (s *step) truly(t *step) bool {
	a, b := &s.event, &t.event
	if s.weak {
		a = &s.did
	}
	if t.weak {
		b = &t.did
	}
	return a.dependent(b)
}

// ranks numbers the events in the order in which Algorithm 1 takes those of the
// trace.
func (w *trust) ranks() []int32 {
	n := w.size()
	above := make([][]int32, n) // what directly has to come before
	for j := range above {
		for i := 0; i < j; i++ {
			if w.steps[i].truly(&w.steps[j]) {
				above[j] = append(above[j], int32(i))
			}
		}
	}
	for _, k := range w.order.wakes {
		for j := int(k.ev) + 1; j < n; j++ {
			if w.steps[j].thread == k.thread {
				above[j] = append(above[j], k.ev)
				break
			}
		}
	}
	rank := make([]int32, n)
	for i := range rank {
		rank[i] = -1
	}
	free := func(j int) bool {
		for _, i := range above[j] {
			if rank[i] < 0 {
				return false
			}
		}
		return rank[j] < 0
	}
	for next := int32(0); int(next) < n; {
		for t := range w.order.last {
			for j := 0; j < n; j++ {
				if int(w.steps[j].thread) == t && free(j) {
					rank[j] = next
					next++
				}
			}
		}
	}
	return rank
}
