package trust

import (
	"slices"

	"landgo/internal/trace"
)

// How the walk estimates what it meets (estimate.go).

// weigh notes that the newest event, tr with outcome c, reached the graph at the
// turn of its thread. To look for its revisits it is taken out and put in again.
func (w *Walk) weigh(tr *trace.Transition, c trace.Choice) {
	n := w.size() - 1
	j := w.estimate.graph(n)
	if j == nil || w.Over() {
		return
	}
	if c == 0 {
		s := w.pop()
		outcomes, b := s.ways, w.pool.copy(&s.Event)
		w.consider(&b.Event)
		j.outcomes = float64(outcomes)
		w.weighRevisits(j, n)
		w.forget()
		w.pool.put(b)
		w.enter(tr, c, tr.Thread)
		w.steps[n].ways = outcomes
	}
	l := w.estimate.innermost()
	if len(l.graphs) == longestWay {
		l.floor, l.graphs = -1, nil
		return
	}
	l.graphs = append(l.graphs[:n-l.floor+1], graphWeight{})
}

// weighEnd does so for an execution's end.
func (w *Walk) weighEnd() {
	j := w.estimate.graph(w.size())
	if j == nil {
		return
	}
	if w.looking {
		w.weighRevisits(j, w.size())
		w.gatherPending()
	}
	w.estimate.innermost().weighs(w.estimate.done)
	w.estimate.done = j.before + j.weight/j.size
}

// weighRevisits lists the revisits that are looked for, of the graph with n events.
func (w *Walk) weighRevisits(j *graphWeight, n int) {
	j.next, j.revisits, j.displaced = 0, j.revisits[:0], j.displaced[:0]
	cut, dropped := w.Cut, w.dropped
	l := w.estimate.innermost()
	w.effort, w.limited = l.effort, true
	for w.effort > 0 && w.look() {
		q := revisitWeight{w.cand.r, 1}
		if !w.spend((n - int(q.r)) * (1 + len(w.cand.q))) {
			break
		}
		for i := n - 1; i > int(q.r); i-- {
			if e := w.estimate.graph(i); e != nil && len(e.displaced) > 0 && !w.cand.covered(int32(i)) {
				q.size *= e.open(q.r)
			}
		}
		j.revisits, j.displaced = append(j.revisits, q), append(j.displaced, q.r)
	}
	l.effort, w.limited = w.effort, false
	slices.Sort(j.displaced)
	w.Cut, w.dropped = cut, dropped
}

// spend reports whether this many looks at an event may be taken.
func (w *Walk) spend(looks int) bool {
	if w.limited {
		w.effort = max(0, w.effort-looks)
	}
	return !w.limited || w.effort > 0
}
