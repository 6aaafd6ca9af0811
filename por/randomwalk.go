package por

import (
	"slices"

	"landgo/internal/trace"
)

// randomWalk is search random: a random walk. In each state every ready thread is as
// likely as any other to take the next step. An execution of k steps among n
// threads may have a probability as small as 1/n^k; states that many orders
// lead to are met early.
//
// One thread among a hundred that all do the same hardly ever takes five steps while these take
// few. So with the option roles, every so many runs draw otherwise where many threads are ready:
// first a function that some of them began with, then one of these threads. With the option gates,
// in every so many runs threads wait for each other before their locks (gates.go).
type randomWalk struct {
	untaught
	s      *sampling
	every  uint64   // so many runs have one by roles; 0: none is
	byRole bool     // this one
	roles  []uint64 // by thread; see trace.Thread.Role
	listed uint64   // trace.Present.Listed when they were looked at
	drawn  []uint64 // scratch
	gated  uint64   // so many runs have one with gates; 0: none has
	gates  *gates   // of this run; nil: it has none
	own    gates
}

// fewReady is up to how many ready threads are drawn from alike.
const fewReady = 4

func newRandom(h handle) strategy {
	s := newSampling(h)
	s.sampler = &randomWalk{s: s, every: h.spec.Param("roles"), gated: h.spec.Param("gates")}
	return s
}

func (w *randomWalk) begin(r uint64) {
	w.byRole, w.listed = w.every > 0 && (r+1)%w.every == 0, 0
	w.gates = nil
	if w.gated > 0 && (r+1)%w.gated == 0 {
		w.gates = &w.own
		w.gates.begin((r+1)/w.gated - 1)
	}
}

func (w *randomWalk) ran(int32) {}

func (w *randomWalk) pick(*node) trace.TID {
	if w.gates != nil {
		return w.gates.pick(w.s)
	}
	ready := w.s.path.present.Ready
	if w.byRole && ready.Len() > fewReady {
		return w.pickByRole(ready)
	}
	return ready.At(w.s.rand.IntN(ready.Len()))
}

// pickByRole draws a role of those that ready threads have, and one of the threads that have it.
func (w *randomWalk) pickByRole(ready trace.Set) trace.TID {
	if now := w.s.path.present; now.Listed != w.listed {
		w.listed = now.Listed
		for i := range now.Threads {
			t := &now.Threads[i]
			w.roles = atLeast(w.roles, int(t.ID)+1)
			w.roles[t.ID] = t.Role
		}
	}
	w.drawn = w.drawn[:0]
	for t := range ready.All {
		if !slices.Contains(w.drawn, w.roles[t]) {
			w.drawn = append(w.drawn, w.roles[t])
		}
	}
	role, n := w.drawn[w.s.rand.IntN(len(w.drawn))], 0
	for t := range ready.All {
		if w.roles[t] == role {
			n++
		}
	}
	n = w.s.rand.IntN(n)
	for t := range ready.All {
		if w.roles[t] == role {
			if n == 0 {
				return t
			}
			n--
		}
	}
	panic("por: a role without a thread")
}
