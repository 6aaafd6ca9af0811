package por

import "landgo/internal/trace"

// randomWalk is search random: a random walk. In each state every ready thread is as
// likely as any other to take the next step. An execution of k steps among n
// threads may have a probability as small as 1/n^k; states that many orders
// lead to are met early.
type randomWalk struct {
	untaught
	s *sampling
}

func newRandom(h handle) strategy {
	s := newSampling(h)
	s.sampler = &randomWalk{s: s}
	return s
}

func (w *randomWalk) begin(uint64) {}
func (w *randomWalk) ran(int32)    {}

func (w *randomWalk) pick(*node) trace.TID {
	ready := w.s.path.present.Ready
	return ready.At(w.s.rand.IntN(ready.Len()))
}
