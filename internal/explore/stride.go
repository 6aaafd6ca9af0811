package explore

import (
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// Samples of executions that are too long to be taken access by access: a thread makes many accesses
// in a step. How many is drawn from all powers of two, so that threads are switched in the midst of loops.

// stride is a guest whose steps are that long.
type stride struct {
	por.System
	guest *session.Guest
	drawn uint64
	made  []uint32           // of the present path
	at    map[trace.Mark]int // how many there were
}

// mostStride is the logarithm of the most accesses in a step.
const mostStride = 22

// over is the stride over a guest that stands at its root.
func (x *stride) over(s por.System, guest *session.Guest) *stride {
	x.System, x.guest, x.made, x.at = s, guest, nil, map[trace.Mark]int{}
	return x
}

// Step implements por.System.
func (x *stride) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	// A linear congruential generator (Knuth, MMIX): what is drawn depends on the number of steps so far alone.
	x.drawn = x.drawn*6364136223846793005 + 1442695040888963407
	below := uint32(1) << (x.drawn >> 40 % (mostStride + 1))
	n := 1 + uint32(x.drawn>>32)&(below-1)
	x.made = append(x.made, n)
	x.guest.Stride(n)
	defer x.guest.Stride(0)
	return x.System.Step(t, c)
}

// Mark implements por.System.
func (x *stride) Mark() trace.Mark {
	k := x.System.Mark()
	x.at[k] = len(x.made)
	return k
}

// Rewind implements por.System.
func (x *stride) Rewind(k trace.Mark) {
	x.System.Rewind(k)
	x.made = x.made[:x.at[k]]
}

// strides is a hunt by such steps.
type strides struct {
	*hunt
	*stride
}

// Ended implements por.Observer.
func (s strides) Ended(x *por.Execution) bool {
	goes := s.hunt.Ended(x)
	for _, f := range s.found {
		if f.fresh && !passes(f.path) && len(f.path) == len(s.made) {
			for i := range f.path {
				f.path[i].Stride = s.made[i]
			}
		}
	}
	return goes
}
