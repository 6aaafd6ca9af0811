package por

import (
	"slices"

	"landgo/trace"
)

// The walk puts what it meets on its scale (scale.go).

// weigh notes that the newest event, tr with outcome c, came to the graph at the
// turn of its thread. To look for its revisits it is taken out and put in again.
func (w *trust) weigh(tr *trace.Transition, c trace.Choice) {
	n := w.size() - 1
	j := w.scale.joint(n)
	if j == nil || w.halted() {
		return
	}
	if c == 0 {
		s := w.pop()
		outcomes, b := s.ways, w.pool.copy(&s.Event, 0)
		w.consider(&b.Event)
		j.outcomes = float64(outcomes)
		w.reaches(j, n)
		w.forget()
		w.pool.put(b)
		w.enter(tr, c, tr.Thread)
		w.steps[n].ways = outcomes
	}
	l := w.scale.limb()
	if len(l.joints) == longest {
		l.floor, l.joints = -1, nil
		return
	}
	l.joints = append(l.joints[:n-l.floor+1], joint{})
}

// weighEnd does so for an execution's end.
func (w *trust) weighEnd() {
	j := w.scale.joint(w.size())
	if j == nil {
		return
	}
	if w.looking {
		w.reaches(j, w.size())
		w.gatherPending()
	}
	w.scale.limb().weighs(w.scale.done)
	w.scale.done = j.before + j.weight/j.size
}

// reaches lists the revisits that are looked for, of the graph with n events.
func (w *trust) reaches(j *joint, n int) {
	j.next, j.reaches, j.displaced = 0, j.reaches[:0], j.displaced[:0]
	cut, dropped := w.cut, w.dropped
	l := w.scale.limb()
	w.effort, w.limited = l.effort, true
	for w.effort > 0 && w.look() {
		q := reach{w.cand.r, 1}
		if !w.spend((n - int(q.r)) * (1 + len(w.cand.q))) {
			break
		}
		for i := n - 1; i > int(q.r); i-- {
			if e := w.scale.joint(i); e != nil && len(e.displaced) > 0 && !w.covered(&w.cand, int32(i)) {
				q.size *= e.open(q.r)
			}
		}
		j.reaches, j.displaced = append(j.reaches, q), append(j.displaced, q.r)
	}
	l.effort, w.limited = w.effort, false
	slices.Sort(j.displaced)
	w.cut, w.dropped = cut, dropped
}

// spend reports whether so many looks at an event may be taken.
func (w *trust) spend(looks int) bool {
	if w.limited {
		w.effort = max(0, w.effort-looks)
	}
	return !w.limited || w.effort > 0
}
