package por

import "landgo/trace"

// dpor is dynamic partial-order reduction as in Flanagan and Godefroid (POPL
// 2005), Figure 4, with clock vectors, and with sleep sets as their §3 says.
//
// Deviations:
//   - The last dependent transition of line 4 is found from indexes (their
//     §4.2, see order.go). Fig. 4 looks at next(s, p) of every p in every
//     state s; here it is looked at when p takes the step, with all that the
//     step did (at coarse granularity next(s, p) isn't known before), and at
//     the end of the execution for the steps that weren't taken. Between the
//     state s and that time p doesn't move, and the races with events before s
//     are found from the later events' place in the order (their footnote 2).
//   - "May be co-enabled" is decided exactly where the operation allows
//     (order.possible): so acquires race with acquires as in their §4.2.
//   - All last dependent transitions that aren't ordered among each other get
//     a backtrack point, not only the greatest.
//   - Processes end, waits block for ever and outcomes differ: see optimal.go.
type dpor struct {
	x       *explorer
	from    int
	dropped int
}

func newDPOR(x *explorer) strategy { return &dpor{x: x} }

func (s *dpor) uses() (bool, bool)      { return true, true }
func (s *dpor) reset()                  {}
func (s *dpor) seed(n *node, _ *branch) { s.x.anyway(n) }

func (s *dpor) ran(i int32) {
	x := s.x
	x.spread(i)
	o := x.order
	for _, r := range o.races[o.ev[i].races:] {
		if x.opts.fault == noProcessEnd && x.nodes[i].cur.global {
			continue
		}
		s.backtrack(r.first, o.ev[i].thread)
	}
}

func (s *dpor) end(e Ending) {
	s.x.pendingRaces(func(c int32, b *branch, _ []int32) { s.backtrack(c, b.thread) })
	s.x.cutSteps(e, func(c int32, b *branch) { s.backtrack(c, b.thread) })
}

// backtrack is lines 5-7: thread p has to be tried before event c, or, if it
// couldn't run there, everybody.
func (s *dpor) backtrack(c int32, p trace.TID) {
	if s.dropped++; s.x.opts.fault == dropBacktrack && s.dropped%3 == 0 {
		return
	}
	n := &s.x.nodes[c]
	if s.x.isReady(int(c), p) {
		s.x.anyThread(n, p)
	} else {
		s.x.anyAll(n)
	}
}
