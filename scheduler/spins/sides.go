package spins

import (
	"maps"

	"landgo/internal/trace"
)

// On which side of a number an addition finds its count, by trying it with each small number
// (scheduler/sides.go).

// LastTried is the largest number that is tried. Nothing is said of additions that find a larger one.
const LastTried = trace.MostTried + 1

// NoPivot is the pivot of an addition that does the same with all numbers.
const NoPivot = -1

// Choice says how a thread uses an addition's result.
type Choice struct {
	Is     bool  // it is a matter of sides
	Apart  bool  // it isn't, wherever the count stands
	Added  int64 // 1 or -1
	Pivot  int64
	Behind bool // the numbers behind the pivot are alike too
	// By these the numbers of a side could be told apart then: bytes of the thread's stack, and
	// registers.
	Left []trace.Range
	Regs trace.RegSet
}

// At reports whether it says something about an addition that finds a number.
func (c *Choice) At(before int64) bool {
	return c.Is && (c.Behind || c.Pivot == NoPivot || (before-c.Pivot)*c.Added <= 0)
}

// Choose is the choice of a thread that is about to add one to a count, or to take one away. The count holds
// before. way says how the thread stands behind the addition where the count holds a number; nil: that can't be compared.
func Choose(before, added int64, way func(v int64) *Poise, owns func(at uint64) bool) Choice {
	c := Choice{Is: true, Added: added, Pivot: NoPivot}
	bytes := Apart{}
	// number is the i-th in the direction of the addition.
	number := func(i int64) int64 {
		if added < 0 {
			return LastTried - i
		}
		return i
	}
	// alike is the first behind the i-th number that leads elsewhere.
	alike := func(i int64) int64 {
		p, k := way(number(i)), i+1
		for ; p != nil && k <= LastTried; k++ {
			q, differ := way(number(k)), Apart{}
			if q == nil || !differ.Same(p, q, owns) {
				break
			}
			maps.Copy(bytes, differ)
			c.Regs |= p.OtherPushed(q)
		}
		return k
	}
	switch pivot := alike(0); {
	case pivot > LastTried:
	case pivot == 1 && alike(1) > LastTried: // the first one goes another way
		c.Pivot, c.Behind = number(0), true
	default:
		c.Pivot = number(pivot)
		if pivot == 1 || (before-c.Pivot)*added > 0 {
			c.Behind = pivot == LastTried || alike(pivot+1) > LastTried
		}
		c.Is = (pivot > 1 || c.Behind) && c.Pivot <= trace.MostTried
		c.Apart = pivot == 1 && !c.Behind
	}
	c.Left = bytes.Ranges()
	return c
}
