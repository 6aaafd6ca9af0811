package scheduler

import (
	"slices"
	"sort"

	"landgo/internal/trace"
)

// Below the granularity of every shared access, a verdict leaves something out: accesses
// that conflict and were never tried in other orders. The type sightings remembers where
// each thread touched shared memory and which locks it always held there. A pair of places
// of different threads, at least one a write, with no lock in common, and not with a
// preemption point before both, is unexamined. It is kept for a whole exploration and never
// rewound.
//
// Happens-before isn't considered: what a semaphore or a barrier orders counts
// too. The number errs on the side of saying too much.
type sightings map[place]*sighting

// place is an instruction of a thread and what it touches.
type place struct {
	thread trace.TID
	pc     uint64
	addr   uint64
	size   uint32
}

type sighting struct {
	access trace.Access
	locks  []uint64 // held at every visit
	point  bool     // a preemption point came right before it at every visit
}

// sight remembers an access by a thread that holds some locks, or by its handler
// (thread.party).
func (g sightings) sight(t trace.TID, a *trace.Access, holds []uint64, point bool) {
	p := place{t, a.PC, a.Addr, a.Size}
	s := g[p]
	if s == nil {
		g[p] = &sighting{*a, append([]uint64(nil), holds...), point}
		return
	}
	s.access.Flags |= a.Flags & trace.Write
	s.point = s.point && point
	s.locks = slices.DeleteFunc(s.locks, func(l uint64) bool { return !slices.Contains(holds, l) })
}

// add adds what another System saw at a place.
func (g sightings) add(p place, o *Sighting) {
	s := g[p]
	if s == nil {
		g[p] = &sighting{o.Access, append([]uint64(nil), o.Locks...), o.Point}
		return
	}
	s.access.Flags |= o.Access.Flags & trace.Write
	s.point = s.point && o.Point
	s.locks = slices.DeleteFunc(s.locks, func(l uint64) bool { return !slices.Contains(o.Locks, l) })
}

// Pair is two places whose accesses conflict.
type Pair struct {
	First, Second trace.Access
	A, B          trace.TID
}

// Unexamined lists the pairs of places that were seen to conflict with neither
// a preemption point nor a common lock between, one for each pair of
// instructions, by address.
func (s *seen) Unexamined() []Pair {
	var all []place
	for p := range s.sightings {
		all = append(all, p)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if a.addr != b.addr {
			return a.addr < b.addr
		}
		if a.pc != b.pc {
			return a.pc < b.pc
		}
		if a.thread != b.thread {
			return a.thread < b.thread
		}
		return a.size < b.size
	})
	var out []Pair
	seen := map[[2]uint64]bool{}
	for i, p := range all {
		x := s.sightings[p]
		for _, q := range all[i+1:] {
			if q.addr >= p.addr+uint64(p.size) {
				break
			}
			y := s.sightings[q]
			if p.thread == q.thread || !x.access.Conflicts(&y.access) || x.point && y.point || seen[[2]uint64{p.pc, q.pc}] ||
				slices.ContainsFunc(x.locks, func(l uint64) bool { return slices.Contains(y.locks, l) }) {
				continue
			}
			seen[[2]uint64{p.pc, q.pc}], seen[[2]uint64{q.pc, p.pc}] = true, true
			out = append(out, Pair{x.access, y.access, max(p.thread, ^p.thread), max(q.thread, ^q.thread)})
		}
	}
	return out
}
