package por

import (
	"slices"

	"landgo/trace"
)

// scale says which share of TruSt's search is done. Like estimate.go's it weighs:
// an execution, and what comes of a revisit, weigh a part of what all that comes of
// their graph does. But how many executions come of a revisit is guessed, when the
// walk has come to the end of an execution, from what is known of the way there:
// the events that the revisit throws away, and those that came later, will come
// again, and each can then make the revisits that displace what follows the
// revisiting event, as far as it could before. So the guess is the product, over
// those events, of one and the number of these. (Exact for writers of one
// variable.) All revisits of a graph can be told from it at once: so this estimate
// doesn't wait until a branch was found, as those of the other searches do.
//
// Memory: some numbers for each revisit of the graphs on the way to each graph of
// which a revisit is under way. Of those that weigh little nothing is kept
// (least).
type scale struct {
	runs   []limb
	done   float64
	light  int     // revisits under way, within those of runs, of which nothing is kept
	lifted float64 // what the outermost of them weighs
}

// least is the weight from which on a revisit is followed.
const least = 1e-4

// maxReach is how many revisits of one graph are looked at.
const maxReach = 1 << 10

// limb is the way from a graph that a revisit made, or from the empty one, to the
// end of an execution.
type limb struct {
	floor          int     // events of the graph, -1 before it is made
	before, weight float64 // done before it; of all that comes of it
	joints         []joint // of the graphs with floor events, floor+1 and so on
}

// joint is a graph on that way. What weighs all that comes of it is known from the
// way's end on.
type joint struct {
	before, weight float64
	known          bool
	size           float64 // executions that come of it, as far as one guesses
	outcomes       float64 // of the event that comes to it
	reaches        []reach // its revisits, in the order in which they are made
	next           int     // the one to be made
}

// reach is a revisit: the event that it displaces, and how many executions come of
// it.
type reach struct {
	r    int32
	size float64
}

func newScale() scale {
	return scale{runs: []limb{{weight: 1, joints: []joint{{weight: 1, known: true}}}}}
}

func (s *scale) clone() scale {
	c := *s
	c.runs = slices.Clone(s.runs)
	for i := range c.runs {
		c.runs[i].joints = slices.Clone(c.runs[i].joints)
		for k := range c.runs[i].joints {
			j := &c.runs[i].joints[k]
			j.reaches = slices.Clone(j.reaches)
		}
	}
	return c
}

// limb is the innermost, nil if nothing is kept of the present one.
func (s *scale) limb() *limb {
	if s.light > 0 || len(s.runs) == 0 {
		return nil
	}
	return &s.runs[len(s.runs)-1]
}

// joint is that of the graph with n events, nil if nothing is kept of it.
func (s *scale) joint(n int) *joint {
	l := s.limb()
	if l == nil || l.floor < 0 || n < l.floor || n-l.floor >= len(l.joints) {
		return nil
	}
	return &l.joints[n-l.floor]
}

// weighs says what the graphs weigh on the way to the execution's end that was
// found.
func (l *limb) weighs(done float64) {
	last := len(l.joints) - 1
	size := 1.0
	known := last
	for i := last; ; i-- {
		j := &l.joints[i]
		if i < last {
			size *= max(1, j.outcomes)
		}
		for k := range j.reaches {
			q := &j.reaches[k]
			for m := i; m < last; m++ {
				if m > i || i == last {
					q.size *= l.joints[m].open(q.r)
				}
			}
			size += q.size
		}
		j.size = size
		if known = i; j.known {
			break
		}
	}
	for i := known + 1; i <= last; i++ {
		j, p := &l.joints[i], &l.joints[i-1]
		j.before, j.known = done, true
		j.weight = p.weight * j.size / p.size
	}
}

// open is the number of ways in which j's event can still come if nothing up to
// event r can be displaced.
func (j *joint) open(r int32) float64 {
	n := 1.0
	for _, q := range j.reaches {
		if q.r > r {
			n++
		}
	}
	return n
}

// settle notes that all that comes of the graph with n events is done.
func (s *scale) settle(n int) {
	if j := s.joint(n); j != nil && j.known {
		s.done = j.before + j.weight
		l := s.limb()
		l.joints = l.joints[:n-l.floor+1]
	}
}

// descend notes that a revisit of the graph with n events begins.
func (s *scale) descend(n int) {
	weight := 0.0
	if j := s.joint(n); j != nil && j.known {
		if j.next < len(j.reaches) {
			weight = j.weight * j.reaches[j.next].size / j.size
		}
		weight = max(0, min(weight, j.before+j.weight-s.done))
		j.next++
	}
	switch {
	case s.light > 0 || weight < least:
		if s.light++; s.light == 1 {
			s.lifted = weight
		}
	default:
		s.runs = append(s.runs, limb{floor: -1, before: s.done, weight: weight})
	}
}

// made notes that the revisit made a graph of n events, with one of its event's
// outcomes.
func (s *scale) made(n int, choice, outcomes uint32) {
	if l := s.limb(); l != nil {
		w := l.weight / float64(outcomes)
		s.done = l.before + w*float64(choice)
		l.floor, l.joints = n, append(l.joints[:0], joint{before: s.done, weight: w, known: true})
	}
}

// ascend notes that all that comes of a revisit is done.
func (s *scale) ascend() {
	switch last := len(s.runs) - 1; {
	case s.light > 0:
		if s.light--; s.light == 0 {
			s.done += s.lifted
		}
	case last >= 0:
		s.done = s.runs[last].before + s.runs[last].weight
		s.runs = s.runs[:last]
	}
}

// outermost leaves of a walk what is within its outermost revisit.
func (s *scale) outermost() {
	if len(s.runs) < 2 {
		*s = scale{} // it weighs too little
		return
	}
	s.runs = s.runs[1:]
}

// left is what is left to do of the subtree.
func (s *scale) left() float64 {
	if len(s.runs) == 0 {
		return 0
	}
	j := &s.runs[0].joints[0]
	return max(0, j.before+j.weight-s.done)
}

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
		outcomes, b := s.ways, w.pool.copy(&s.event, 0)
		w.consider(&b.event)
		j.outcomes, j.next, j.reaches = float64(outcomes), 0, w.reaches(j.reaches[:0], n)
		w.forget()
		w.pool.put(b)
		w.enter(tr, c, tr.Thread)
		w.steps[n].ways = outcomes
	}
	l := w.scale.limb()
	l.joints = append(l.joints[:n-l.floor+1], joint{})
}

// weighEnd does so for an execution's end.
func (w *trust) weighEnd() {
	j := w.scale.joint(w.size())
	if j == nil {
		return
	}
	if j.reaches, j.next = j.reaches[:0], 0; w.looking {
		j.reaches = w.reaches(j.reaches, w.size())
		w.gatherPending()
	}
	w.scale.limb().weighs(w.scale.done)
	w.scale.done = j.before + j.weight/j.size
}

// reaches lists the revisits that are looked for, of the graph with n events.
func (w *trust) reaches(list []reach, n int) []reach {
	cut, dropped := w.cut, w.dropped
	for len(list) < maxReach && w.look() {
		q := reach{w.cand.r, 1}
		for i := n - 1; i > int(q.r); i-- {
			if j := w.scale.joint(i); j != nil && !w.covered(&w.cand, int32(i)) {
				q.size *= j.open(q.r)
			}
		}
		list = append(list, q)
	}
	w.cut, w.dropped = cut, dropped
	return list
}
