package por

// exhaustive is search "none": every ready thread, with every outcome of its
// step, in every state; no reduction. The others are judged by it.
// With a bound it is bounded.go.
type exhaustive struct {
	passive
	sets *backtrack
}

func newExhaustive(h handle) strategy {
	if h.meter != nil {
		return newBounded(h)
	}
	return &exhaustive{sets: h.sets}
}

func (s *exhaustive) seed(n *node, _ *branch) error { s.sets.addEvery(n); return nil }
func (s *exhaustive) needs() *needs                 { return &needs{} }
