package por

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// figure4 is Figure 4 of Flanagan and Godefroid (POPL 2005), search dpor:figure=4.
// Happens-before is decided by clock vectors (their §4.1; relation/order.go keeps them),
// and lines 5-7 are simplified.
//
//	4  if there is i = max({i in dom(S) | S_i is dependent and may be
//	   co-enabled with next(s, p) and not i <= C(p)(proc(S_i))}) {
//	5    if p in enabled(pre(S, i))
//	6    then add p to backtrack(pre(S, i));
//	7    else add enabled(pre(S, i)) to backtrack(pre(S, i));
//
// Line 4 is a sequential search through the stack, as in the paper; Figure 5
// avoids it (dpor.go).
//
// Terms, soundness and deviations: eager.go.
type figure4 struct {
	eager
	clock []int32 // C(p)
}

func newFigure4(h handle) strategy { return newClocks(h, h.spec.Param("sleep") == 1) }

func newClocks(h handle, sleep bool) *figure4 {
	s := &figure4{eager: newEager(h, sleep)}
	s.lines = s.point
	return s
}

func (s *figure4) point(e *relation.Event, first trace.Op, end int32) {
	if w := s.path.order.Width(); len(s.clock) < w {
		s.clock = make([]int32, w)
	}
	if int(end) < s.path.order.Len() {
		s.path.order.BaseOf(s.clock, end)
	} else {
		s.path.order.Base(s.clock, e.Thread)
	}
	for i := end - 1; i >= 0; i-- {
		a := s.path.event(i)
		if a.Thread == e.Thread || s.clock[a.Thread] > i || !a.Dependent(e) || !s.path.order.MayBeCoenabled(i, first) {
			continue
		}
		if !s.fails() {
			s.sets.addElseAll(&s.path.nodes[i], e.Thread)
		}
		return
	}
}
