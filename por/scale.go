package por

import "slices"

// scale says which share of TruSt's search is done. Like estimate.go's it weighs:
// an execution, and what comes of a revisit, weigh a part of what all that comes of
// their graph does. But how many executions come of a revisit is guessed, when the
// walk has come to the end of an execution, from what is known of the way there:
// the events that the revisit throws away, and those that came later, will come
// again, and each can then make the revisits that displace what follows the
// revisiting event, as far as it could before. So the guess is the product, over
// those events, of one and the number of these. All revisits of a graph can be
// told from it at once: so this estimate doesn't wait until a branch was found, as
// those of the other searches do.
//
// Memory: some numbers for each revisit of the graphs on the way to each graph of
// which a revisit is under way. Of those that weigh little (least) and of long ways
// (longest) nothing is kept, nor of the revisits that it would take too long to find
// (effort).
type scale struct {
	runs   []limb
	done   float64
	light  int     // revisits under way, within those of runs, of which nothing is kept
	lifted float64 // what the outermost of them weighs
}

// least is the weight from which on a revisit is followed.
const least = 1e-4

// A way of more events isn't weighed: then nothing is known until it is done.
const longest = 1 << 11

// effort is what may be spent on a way: looks at an event for a revisit. What isn't
// found with it weighs nothing.
const effort = 1 << 17

// limb is the way from a graph that a revisit made, or from the empty one, to the
// end of an execution.
type limb struct {
	floor          int     // events of the graph, -1 before it is made
	before, weight float64 // done before it; of all that comes of it
	effort         int     // left
	joints         []joint // of the graphs with floor events, floor+1 and so on
}

// joint is a graph on that way. What weighs all that comes of it is known from the
// way's end on.
type joint struct {
	before, weight float64
	known          bool
	size           float64 // executions that come of it, as far as one guesses: 0 before
	stay           float64 // and of it with its event, for one outcome
	outcomes       float64 // of the event that comes to it
	reaches        []reach // its revisits, in the order in which they are made
	next           int     // the one to be made
	displaced      []int32 // by them, in ascending order
}

// reach is a revisit: the event that it displaces, and how many executions come of
// it.
type reach struct {
	r    int32
	size float64
}

func newScale() scale {
	return scale{runs: []limb{{weight: 1, effort: effort, joints: []joint{{weight: 1, known: true}}}}}
}

func (s *scale) clone() scale {
	c := *s
	c.runs = slices.Clone(s.runs)
	for i := range c.runs {
		c.runs[i].joints = slices.Clone(c.runs[i].joints)
		for k := range c.runs[i].joints {
			j := &c.runs[i].joints[k]
			j.reaches, j.displaced = slices.Clone(j.reaches), slices.Clone(j.displaced)
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
	// again[r]: in how many ways all that comes after the graph at hand can come if
	// nothing up to event r can be displaced.
	again := make([]float64, l.floor+last+1)
	for r := range again {
		again[r] = 1
	}
	size, known := 1.0, last
	for ; ; known-- {
		j := &l.joints[known]
		if j.size > 0 {
			break // another outcome of its event led here
		}
		if j.stay = size; known < last {
			size *= max(1, j.outcomes)
		}
		for k := range j.reaches {
			q := &j.reaches[k]
			q.size *= again[q.r]
			size += q.size
		}
		j.size = size
		if j.known {
			break
		}
		if n := len(j.displaced); n > 0 {
			for r := range j.displaced[n-1] {
				again[r] *= j.open(r)
			}
		}
	}
	for i := known + 1; i <= last; i++ {
		j, p := &l.joints[i], &l.joints[i-1]
		j.before, j.known = done, true
		j.weight = p.weight * p.stay / p.size
	}
}

// open is the number of ways in which j's event can still come if nothing up to
// event r can be displaced.
func (j *joint) open(r int32) float64 {
	n, _ := slices.BinarySearch(j.displaced, r+1)
	return float64(1 + len(j.displaced) - n)
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
		l.floor, l.effort, l.joints = n, effort, append(l.joints[:0], joint{before: s.done, weight: w, known: true})
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
	l := &s.runs[0]
	if l.floor < 0 {
		return max(0, l.before+l.weight-s.done)
	}
	j := &l.joints[0]
	return max(0, j.before+j.weight-s.done)
}
