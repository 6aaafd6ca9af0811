package por

import "landgo/trace"

// Figure 4 of Flanagan and Godefroid (POPL 2005), search dpor:figure=4:
// happens-before is decided by clock vectors (their §4.1; order.go keeps them),
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

func newFigure4(x *explorer) strategy { return newClocks(x, x.spec.Param("sleep") == 1) }

func newClocks(x *explorer, sleep bool) *figure4 {
	s := &figure4{eager: eager{source: source{x: x}, sleep: sleep}}
	s.seq.x = x
	s.lines = s.point
	return s
}

func (s *figure4) point(e *event, first trace.Op, end int32) {
	x := s.x
	if len(s.clock) < x.order.width {
		s.clock = make([]int32, x.order.width)
	}
	if int(end) < len(x.order.ev) {
		x.order.baseOf(s.clock, end)
	} else {
		x.order.base(s.clock, e.thread)
	}
	for i := end - 1; i >= 0; i-- {
		a := &x.nodes[i].cur.event
		if a.thread == e.thread || s.clock[a.thread] > i || !a.dependent(e) || !x.mayBeCoenabled(i, first) {
			continue
		}
		if s.fails() {
			return
		}
		if n := &x.nodes[i]; x.isReady(int(i), e.thread) {
			x.anyThread(n, e.thread)
		} else {
			x.anyAll(n)
		}
		return
	}
}
