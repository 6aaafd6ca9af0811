package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// figure3 is Figure 3 of Flanagan and Godefroid (POPL 2005), search
// dpor:figure=3. Happens-before is found by a search through the stack, and line
// 5 refines what is added.
//
//	4  if there is i = max({i in dom(S) | S_i is dependent and may be
//	   co-enabled with next(s, p) and not i ->_S p}) {
//	5    let E = {q in enabled(pre(S, i)) | q = p or there is j > i with
//	   q = proc(S_j) and j ->_S p};
//	6    if E isn't empty, add any q in E to backtrack(pre(S, i));
//	7    else add all q in enabled(pre(S, i));
//
// One pass down the stack from its top decides both. It gathers the j with j
// ->_S p, each because of one gathered before it. It stops at the first that
// isn't one of them and is dependent and co-enabled: that is i, and E is made of
// those gathered. No clocks are looked at.
//
// Of E, p is taken if it can be. Nothing is added if E has a process of the backtrack
// set already (their optimization 1, at the end of §3). Optimization 2 is in
// marking.go.
//
// Terms, soundness and the other deviations: eager.go.
type figure3 struct {
	eager
	past  []int32     // the j ->_S p, newest first
	procs []trace.TID // p, and their processes
	// backtrack is lines 5-7 for the state before event i.
	backtrack func(i int32)
}

func newFigure3(h handle) *figure3 {
	s := &figure3{eager: newEager(h, h.spec.Param("sleep") == 1)}
	s.lines, s.backtrack = s.point, s.add
	return s
}

func (s *figure3) point(e *relation.Event, first trace.Op, end int32) {
	s.past, s.procs = s.past[:0], append(s.procs[:0], e.Thread)
	for i := end - 1; i >= 0; i-- {
		a := s.path.event(i)
		if s.before(i, a, e.Thread) {
			s.past = append(s.past, i)
			s.procs = append(s.procs, a.Thread)
			continue
		}
		if a.Dependent(e) && s.path.order.MayBeCoenabled(i, first) {
			if !s.fails() {
				s.backtrack(i)
			}
			return
		}
	}
}

// before reports whether i ->_S p, where s.past has all later such: p itself,
// or one of those, comes after i by program order, dependence or a wake-up.
func (s *figure3) before(i int32, a *relation.Event, p trace.TID) bool {
	if a.Thread == p {
		return true
	}
	for t := range s.path.order.Woken(i) {
		if slices.Contains(s.procs, t) {
			return true
		}
	}
	for _, j := range s.past {
		if s.path.event(j).Dependent(a) {
			return true
		}
	}
	return false
}

// add is lines 5-7; s.procs has p and the processes of all j ->_S p, j > i.
func (s *figure3) add(i int32) {
	n := &s.path.nodes[i]
	chosen := trace.NoThread
	for _, q := range s.procs {
		if !s.sets.may(n, q) {
			continue
		}
		if s.chosen(n, q) {
			return
		}
		if chosen == trace.NoThread {
			chosen = q
		}
	}
	if chosen == trace.NoThread {
		s.sets.addAll(n)
	} else {
		s.sets.addThread(n, chosen)
	}
}

// chosen reports whether all that q can do in the state of n is in its
// backtrack set.
func (s *figure3) chosen(n *node, q trace.TID) bool {
	s.sets.own(n)
	for c := trace.Choice(0); c < s.path.outcomes(n, q); c++ {
		if find(n.done, q, c) == nil && find(n.todo, q, c) == nil && (n.cur == nil || n.cur.Thread != q || n.cur.Choice != c) {
			return false
		}
	}
	return true
}
