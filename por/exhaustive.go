package por

import "landgo/trace"

// exhaustive is search "none": every ready thread, with every outcome of its
// step, in every state; no reduction. It is what the others are judged by.
// With a bound it is bounded.go.
type exhaustive struct{ x *explorer }

func newExhaustive(x *explorer) strategy {
	if x.meter != nil {
		return newBounded(x)
	}
	return &exhaustive{x}
}

func (s *exhaustive) seed(n *node, _ *branch) { s.x.seedEvery(n) }
func (s *exhaustive) ran(int32)               {}
func (s *exhaustive) end(Ending)              {}
func (s *exhaustive) expire()                 {}
func (s *exhaustive) reset()                  {}
func (s *exhaustive) uses() (bool, bool)      { return false, false }

// seedEvery gives n all branches that aren't asleep, in the order of byTurns.
func (x *explorer) seedEvery(n *node) {
	tail := &n.todo
	for t := range x.byTurns(n) {
		for c := trace.Choice(0); c < x.outcomes(n, t); c++ {
			if x.asleep(n, t, c) {
				continue
			}
			*tail = x.pool.named(t, c)
			tail = &(*tail).next
		}
	}
}
