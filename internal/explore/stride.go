package explore

import (
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// Samples of executions that are too long to be taken access by access: a thread makes many accesses
// and operations in a step. How many is drawn from all powers of two, so that threads are switched in the midst of
// loops. Where races were seen, every other step ends at one of their instructions: there a switch matters (Sen, PLDI
// 2008). Every other one of those is followed by a step of one access, so that threads are switched within instructions
// that read and write.

// stride is a guest whose steps are that long.
type stride struct {
	por.System
	guest *session.Guest
	aims  []uint64 // instructions that race, ascending
	drawn uint64
	made  []strode           // of the present path
	at    map[trace.Mark]int // how many there were
	aimed bool               // the last step was
}

// strode is how long a step was.
type strode struct {
	events uint32
	aim    uint64
}

// mostStride is the logarithm of the most accesses in a step.
const mostStride = 22

// over is the stride over a guest that stands at its root.
func (x *stride) over(s por.System, guest *session.Guest) *stride {
	x.System, x.guest, x.made, x.at, x.aimed = s, guest, nil, map[trace.Mark]int{}, false
	return x
}

// draw is how long the next step is. That depends on the number of steps so far, and the races, alone.
func (x *stride) draw() strode {
	x.drawn = x.drawn*6364136223846793005 + 1442695040888963407 // a linear congruential generator (Knuth, MMIX)
	high := x.drawn >> 32
	short := x.aimed && x.drawn>>30&1 != 0
	x.aimed = false
	if short {
		return strode{events: 1}
	}
	below := uint32(1) << (x.drawn >> 40 % (mostStride + 1))
	d := strode{events: 1 + uint32(high)&(below-1)}
	if x.aimed = len(x.aims) > 0 && x.drawn>>29&1 != 0; x.aimed {
		d.aim = x.aims[x.drawn>>16%uint64(len(x.aims))]
	}
	return d
}

// Step implements por.System.
func (x *stride) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	d := x.draw()
	x.made = append(x.made, d)
	x.guest.Stride(d.events, d.aim)
	defer x.guest.Stride(0, 0)
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
				f.path[i].Stride, f.path[i].Aim = s.made[i].events, s.made[i].aim
			}
		}
	}
	return goes
}
