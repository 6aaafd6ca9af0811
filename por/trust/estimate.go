package trust

import "slices"

// graphEstimate says which share of TruSt's search is done. Like estimate.go it
// weighs: an execution, and the subtree of a revisit, weigh a part of what the
// subtree of their graph does. How many executions a revisit leads to is
// guessed, when the walk has ended an execution, from what is known
// of the way there. The events that the revisit throws away, and those that came
// later, will come again. Each can then make the revisits that displace what
// follows the revisiting event, as far as it could before. So the guess is the
// product, over those events, of one and the number of these. All revisits of a
// graph follow from it at once. So this estimate doesn't wait until a
// branch was found, as those of the other searches do.
//
// Memory: some numbers for each revisit of the graphs on the way to each graph whose
// revisit is under way. Nothing is kept of revisits that weigh little (leastWeight), of
// long ways (longestWay), and of those that it would take too long to find
// (mostEffort).
type graphEstimate struct {
	descents        []descent
	done            float64
	untracked       int     // revisits under way, within those of descents, about which nothing is kept
	untrackedWeight float64 // the weight of the outermost of them
}

// leastWeight is the weight from which on a revisit is followed.
const leastWeight = 1e-4

// longestWay is how many events a way may have to be weighed: else nothing is
// known until it is done.
const longestWay = 1 << 11

// mostEffort limits the effort for a way: looks at an event for a revisit. Graphs
// that aren't found with it weigh nothing.
const mostEffort = 1 << 17

// descent is the way from a graph that a revisit made, or from the empty one, to the
// end of an execution.
type descent struct {
	floor          int           // events of the graph, -1 before it is made
	before, weight float64       // done before it; of its subtree
	effort         int           // left
	graphs         []graphWeight // of the graphs with floor events, floor+1 and so on
}

// graphWeight is a graph on that way. The weight of its subtree is known from the way's
// end on.
type graphWeight struct {
	before, weight float64
	known          bool
	size           float64         // executions in its subtree, as guessed: 0 before
	stay           float64         // and of it with its event, for one outcome
	outcomes       float64         // of the event that reaches it
	revisits       []revisitWeight // its revisits, in the order in which they are made
	next           int             // the one to be made
	displaced      []int32         // by them, in ascending order
}

// revisitWeight is a revisit: the event that it displaces, and how many executions it
// leads to.
type revisitWeight struct {
	r    int32
	size float64
}

func newGraphEstimate() graphEstimate {
	return graphEstimate{descents: []descent{{weight: 1, effort: mostEffort, graphs: []graphWeight{{weight: 1, known: true}}}}}
}

func (s *graphEstimate) clone() graphEstimate {
	c := *s
	c.descents = slices.Clone(s.descents)
	for i := range c.descents {
		c.descents[i].graphs = slices.Clone(c.descents[i].graphs)
		for k := range c.descents[i].graphs {
			j := &c.descents[i].graphs[k]
			j.revisits, j.displaced = slices.Clone(j.revisits), slices.Clone(j.displaced)
		}
	}
	return c
}

// innermost is the innermost, nil if nothing is kept of the present one.
func (s *graphEstimate) innermost() *descent {
	if s.untracked > 0 || len(s.descents) == 0 {
		return nil
	}
	return &s.descents[len(s.descents)-1]
}

// graph is that of the graph with n events, nil if nothing is kept of it.
func (s *graphEstimate) graph(n int) *graphWeight {
	l := s.innermost()
	if l == nil || l.floor < 0 || n < l.floor || n-l.floor >= len(l.graphs) {
		return nil
	}
	return &l.graphs[n-l.floor]
}

// weighs says what the graphs weigh on the way to the execution's end that was
// found.
func (l *descent) weighs(done float64) {
	last := len(l.graphs) - 1
	// again[r]: in how many ways all that comes after the graph at hand can come if
	// nothing up to event r can be displaced.
	again := make([]float64, l.floor+last+1)
	for r := range again {
		again[r] = 1
	}
	size, known := 1.0, last
	for ; ; known-- {
		j := &l.graphs[known]
		if j.size > 0 {
			break // another outcome of its event led here
		}
		if j.stay = size; known < last {
			size *= max(1, j.outcomes)
		}
		for k := range j.revisits {
			q := &j.revisits[k]
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
		j, p := &l.graphs[i], &l.graphs[i-1]
		j.before, j.known = done, true
		j.weight = p.weight * p.stay / p.size
	}
}

// open is the number of ways in which j's event can still come if nothing up to
// event r can be displaced.
func (j *graphWeight) open(r int32) float64 {
	n, _ := slices.BinarySearch(j.displaced, r+1)
	return float64(1 + len(j.displaced) - n)
}

// settle notes that the subtree of the graph with n events is done.
func (s *graphEstimate) settle(n int) {
	if j := s.graph(n); j != nil && j.known {
		s.done = j.before + j.weight
		l := s.innermost()
		l.graphs = l.graphs[:n-l.floor+1]
	}
}

// descend notes that a revisit of the graph with n events begins.
func (s *graphEstimate) descend(n int) {
	weight := 0.0
	if j := s.graph(n); j != nil && j.known {
		if j.next < len(j.revisits) {
			weight = j.weight * j.revisits[j.next].size / j.size
		}
		weight = max(0, min(weight, j.before+j.weight-s.done))
		j.next++
	}
	switch {
	case s.untracked > 0 || weight < leastWeight:
		if s.untracked++; s.untracked == 1 {
			s.untrackedWeight = weight
		}
	default:
		s.descents = append(s.descents, descent{floor: -1, before: s.done, weight: weight})
	}
}

// made notes that the revisit made a graph of n events, with one of its event's
// outcomes.
func (s *graphEstimate) made(n int, choice, outcomes uint32) {
	if l := s.innermost(); l != nil {
		w := l.weight / float64(outcomes)
		s.done = l.before + w*float64(choice)
		l.floor, l.effort, l.graphs = n, mostEffort, append(l.graphs[:0], graphWeight{before: s.done, weight: w, known: true})
	}
}

// ascend notes that a revisit's subtree is done.
func (s *graphEstimate) ascend() {
	switch last := len(s.descents) - 1; {
	case s.untracked > 0:
		if s.untracked--; s.untracked == 0 {
			s.done += s.untrackedWeight
		}
	case last >= 0:
		s.done = s.descents[last].before + s.descents[last].weight
		s.descents = s.descents[:last]
	}
}

// outermost leaves of a walk what is within its outermost revisit.
func (s *graphEstimate) outermost() {
	if len(s.descents) < 2 {
		*s = graphEstimate{} // it weighs too little
		return
	}
	s.descents = s.descents[1:]
}

// left is the weight of the subtree's rest, which is still to be done.
func (s *graphEstimate) left() float64 {
	if len(s.descents) == 0 {
		return 0
	}
	l := &s.descents[0]
	if l.floor < 0 {
		return max(0, l.before+l.weight-s.done)
	}
	j := &l.graphs[0]
	return max(0, j.before+j.weight-s.done)
}
