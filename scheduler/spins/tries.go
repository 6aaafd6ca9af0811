package spins

import (
	"maps"
	"slices"

	"landgo/internal/trace"
)

// How a thread's tries to change a word end, and what it does on its way back from one that fails
// (scheduler/backout.go). It was run from where it stands with each value, and taken back.

// MostPlaces bounds the places of a way back, and mostMoved what others may have added.
const (
	MostPlaces = 64
	mostMoved  = 64
)

// Tries are how a thread's tries end, by the value that the word holds.
type Tries struct {
	Fails map[uint64]bool
	Added []uint64      // what they have added on the way back
	Good  bool          // no other thread can tell those that fail
	Looks Looks         // those of tries that fail, and of the way back
	Left  []trace.Range // bytes of the thread's stack by which it could be told how many failed
}

// Spot is one on the way back, or before a try: how the thread stands, and what it has added.
type Spot struct {
	Poise Poise
	Added uint64
}

// Place has the facts known of a spot.
type Place struct {
	Head, Open bool // before a try; the thread may leave from here
	Added      uint64
	Next       map[uint64]Onto // by the value that it finds, without what it has added
}

// Onto is where a step leads: To is nil if out of the loop. After a try the thread stands as Out says.
type Onto struct {
	To  *Place
	Out Poise
}

// WayBack has all spots that a thread comes to from before a try.
type WayBack map[Spot]*Place

// Mask has the bits of a word of a size.
func Mask(size uint32) uint64 { return 1<<(8*size-1)<<1 - 1 }

// Sums are the sums that other threads' tries may have added to a word for a while, by what each adds; nil if
// there are too many.
func Sums(by map[trace.TID][]uint64, size uint32) []uint64 {
	sums := []uint64{0}
	for _, adds := range by {
		next := slices.Clone(sums)
		for _, a := range adds {
			for _, s := range sums {
				next = append(next, (s+a)&Mask(size))
			}
		}
		slices.Sort(next)
		if sums = slices.Compact(next); len(sums) > mostMoved {
			return nil
		}
	}
	return sums
}

// Found are the values that a thread may find where the word has each of some, with what others may have added.
func Found(values, moved []uint64, size uint32) (all []uint64) {
	for _, x := range values {
		for _, d := range moved {
			all = append(all, (x+d)&Mask(size))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Judge says how tries end with some values, with what others may have added to them.
func (w WayBack) Judge(values, moved []uint64, size uint32) *Tries {
	w.close()
	r := &Tries{Fails: map[uint64]bool{}}
	var out *Poise
	added := map[uint64]bool{}
	for _, n := range w {
		if !n.Head && !n.Open && n.Added != 0 {
			added[n.Added] = true
		}
		for v, o := range n.Next {
			if !n.Head {
				continue
			}
			fails := o.To != nil && (o.To.Head || !o.To.Open)
			if old, ok := r.Fails[v]; ok && old != fails {
				return &Tries{}
			}
			if r.Fails[v] = fails; fails {
				continue
			}
			if out != nil && *out != o.Out {
				return &Tries{}
			}
			out = &o.Out
		}
	}
	for _, v := range values {
		for _, d := range moved {
			if r.Fails[v] && !r.Fails[(v+d)&Mask(size)] {
				return &Tries{}
			}
		}
		for _, n := range w {
			if !n.Head && !n.Open && !n.comesOut(v, r.Fails[v]) {
				return &Tries{}
			}
		}
	}
	r.Added, r.Good = slices.Sorted(maps.Keys(added)), true
	return r
}

// comesOut reports whether a thread reaches a try from here, with a word that stays. It may
// stay in a loop if it waits, and has taken back what it added.
func (n *Place) comesOut(v uint64, waits bool) bool {
	for range MostPlaces {
		if n.Head {
			return true
		}
		n = n.Next[v].To
	}
	for range MostPlaces {
		if n.Added != 0 {
			return false
		}
		n = n.Next[v].To
	}
	return waits
}

// close finds out from where a thread may leave but by a try.
func (w WayBack) close() {
	for again := true; again; {
		again = false
		for _, n := range w {
			for _, o := range n.Next {
				if !n.Head && !n.Open && o.To != nil && !o.To.Head && o.To.Open {
					n.Open, again = true, true
				}
			}
		}
	}
}
