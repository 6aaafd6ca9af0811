package witness

import (
	"cmp"
	"slices"

	"landgo/internal/trace"
)

// Sights are the places at which threads touched memory. Below the granularity of every shared
// access, a verdict leaves something out: accesses that conflict and were never tried in other
// orders. So each place has the locks that its thread always held there. A pair of places
// of different threads, at least one a write, with no lock in common, and not with a
// preemption point before both, is unexamined.
//
// Happens-before isn't considered: what a semaphore or a barrier orders counts
// too. The number errs on the side of saying too much.
type Sights map[place]*Sighting

// place is an instruction of a thread and what it touches.
type place struct {
	thread trace.TID
	pc     uint64
	addr   uint64
	size   uint32
}

// Sighting has the facts on the accesses of one place.
type Sighting struct {
	Thread trace.TID // or a handler's party
	Access trace.Access
	Locks  []uint64 // held at every visit
	Point  bool     // a preemption point came right before it at every visit
}

func (g *Sighting) place() place { return place{g.Thread, g.Access.PC, g.Access.Addr, g.Access.Size} }

func (g *Sighting) clone() Sighting {
	c := *g
	c.Locks = append([]uint64(nil), g.Locks...)
	return c
}

// join takes in another visit.
func (g *Sighting) join(flags trace.AccessFlags, holds []uint64, point bool) {
	g.Access.Flags |= flags & trace.Write
	g.Point = g.Point && point
	g.Locks = slices.DeleteFunc(g.Locks, func(l uint64) bool { return !slices.Contains(holds, l) })
}

// Sight remembers an access by a thread that holds some locks, or by its handler.
func (s Sights) Sight(t trace.TID, a *trace.Access, holds []uint64, point bool) {
	p := place{t, a.PC, a.Addr, a.Size}
	if g := s[p]; g != nil {
		g.join(a.Flags, holds, point)
		return
	}
	s[p] = &Sighting{t, *a, append([]uint64(nil), holds...), point}
}

// add adds what another System saw at a place.
func (s Sights) add(o *Sighting) { s.Sight(o.Thread, &o.Access, o.Locks, o.Point) }

// List is the same as plain data, in no order.
func (s Sights) List() (all []Sighting) {
	for _, g := range s {
		all = append(all, g.clone())
	}
	return all
}

// SightsOf is the inverse of List.
func SightsOf(list []Sighting) Sights {
	s := Sights{}
	for i := range list {
		s.add(&list[i])
	}
	return s
}

// Pair is two places whose accesses conflict.
type Pair struct {
	First, Second trace.Access
	A, B          trace.TID
}

// Unexamined lists the pairs of places that were seen to conflict with neither
// a preemption point nor a common lock between, one for each pair of
// instructions, by address.
func (s Sights) Unexamined() (out []Pair) {
	all := make([]*Sighting, 0, len(s))
	for _, g := range s {
		all = append(all, g)
	}
	slices.SortFunc(all, func(a, b *Sighting) int {
		return cmp.Or(cmp.Compare(a.Access.Addr, b.Access.Addr), cmp.Compare(a.Access.PC, b.Access.PC),
			cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Access.Size, b.Access.Size))
	})
	seen := map[[2]uint64]bool{}
	for i, x := range all {
		for _, y := range all[i+1:] {
			p, q := &x.Access, &y.Access
			if q.Addr >= p.Addr+uint64(p.Size) {
				break
			}
			if x.Thread == y.Thread || !p.Conflicts(q) || x.Point && y.Point || seen[[2]uint64{p.PC, q.PC}] ||
				slices.ContainsFunc(x.Locks, func(l uint64) bool { return slices.Contains(y.Locks, l) }) {
				continue
			}
			seen[[2]uint64{p.PC, q.PC}], seen[[2]uint64{q.PC, p.PC}] = true, true
			out = append(out, Pair{*p, *q, max(x.Thread, ^x.Thread), max(y.Thread, ^y.Thread)})
		}
	}
	return out
}
