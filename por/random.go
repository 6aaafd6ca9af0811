package por

import "landgo/trace"

// walk is search random: a random walk. In each state every ready thread is as
// likely as any other to take the next step. An execution of k steps among n
// threads may have a probability as small as 1/n^k; what is met early is what
// many orders lead to.
type walk struct{ s *sampling }

func newRandom(x *explorer) strategy {
	s := newSampling(x)
	s.sampler = &walk{s}
	return s
}

func (w *walk) reset()       {}
func (w *walk) begin(uint64) {}
func (w *walk) ran(int32)    {}
func (w *walk) taught() int  { return 0 }
func (w *walk) teach(int)    {}
func (w *walk) ended(int)    {}

func (w *walk) pick(*node) trace.TID {
	threads := w.s.x.threads
	ready := 0
	for i := range threads {
		if threads[i].Status == trace.Ready {
			ready++
		}
	}
	k := w.s.rand.IntN(ready)
	for i := range threads {
		if threads[i].Status == trace.Ready {
			if k == 0 {
				return threads[i].ID
			}
			k--
		}
	}
	panic("por: no ready thread to pick")
}
