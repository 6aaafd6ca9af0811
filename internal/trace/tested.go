package trace

// A tested addition adds one to its bytes, or takes one away. All that is
// used of what it found is whether that was below a number, its pivot, at it, or above it. So a thread asks
// whether it is the last one to arrive at a barrier, or to give a reference back.
//
// Two of one pivot and one sign commute where both find numbers on the same side: each would find
// such a one in the other order too. A side is a Blend. At the pivot is room for one alone.

const testedBlend Blend = 8

// MostPivot is the largest pivot, MostTried that of an addition that is tried (ByTrying).
const (
	MostPivot = 18
	MostTried = 9
)

const (
	leastPivot = -1
	pivots     = MostPivot - leastPivot + 1
	tried      = MostTried - leastPivot + 1
)

// The sides of a pivot. Nothing is said of negative numbers, and of very large ones.
const (
	below = iota
	atPivot
	above
	elsewhere
	sides
)

// TestedAddition is the blend of an addition of 1 or -1 to bytes, so many, that held a number before.
// NoBlend: it is none that this can be said of. So many others of the blend may come after it, each of
// which still finds a number on the same side: at the most 255.
func TestedAddition(size uint32, added, pivot, before int64) (b Blend, more uint8) {
	if added != 1 && added != -1 || pivot < leastPivot || pivot > MostPivot {
		return NoBlend, 0
	}
	top := int64(1)<<(8*size-2) - 1 // a sum isn't near to what the bytes can hold
	side, left := int64(atPivot), int64(0)
	switch down := added < 0; {
	case before < 0 || before > top:
		side = elsewhere
	case before > pivot && down:
		side, left = above, before-pivot-1
	case before > pivot:
		side, left = above, top-before
	case before < pivot && down:
		side, left = below, before
	case before < pivot:
		side, left = below, pivot-before-1
	}
	kind := pivot - leastPivot
	if added < 0 {
		kind += pivots
	}
	return testedBlend + Blend(kind*sides+side), uint8(min(left, 255))
}

// ByTrying is the blend of a tested addition if only trying tells what becomes of its result
// (scheduler/sides.go). That holds of small numbers. So it doesn't commute with one that finds any.
func (b Blend) ByTrying() Blend {
	test, side := (b-testedBlend)/sides, (b-testedBlend)%sides
	sign, pivot := test/pivots, test%pivots
	if !b.Tested() || pivot >= tried {
		return NoBlend
	}
	return testedBlend + (2*pivots+sign*tried+pivot)*sides + side
}

// BlendOf is the blend of a step's write of the bytes of an access.
func (t *Transition) BlendOf(a *Access) Blend {
	for i := range t.Accesses {
		if w := &t.Accesses[i]; w.IsWrite() && w.SameBytes(a) {
			return w.Blends()
		}
	}
	return NoBlend
}

// Tested reports whether b is that of a tested addition.
func (b Blend) Tested() bool { return b >= testedBlend }

// SameTest reports whether two are those of tested additions of one pivot and one sign.
func (b Blend) SameTest(c Blend) bool {
	return b.Tested() && c.Tested() && (b-testedBlend)/sides == (c-testedBlend)/sides
}

// Commutes reports whether two accesses of the same bytes with these blends have the same effect in
// both orders.
func (b Blend) Commutes(c Blend) bool {
	if b != c || b == NoBlend || !b.Tested() {
		return b == c && b != NoBlend
	}
	side := (b - testedBlend) % sides
	return side == below || side == above
}
