package scheduler

import (
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Additions whose results are compared with a number, for a search that asks (por.Tester). If
// threads arrive at a barrier, or give references back, mostly only the last one goes another way. An
// addition's blend is the side on which it has found the count (trace.TestedAddition).
// So it is a matter of the state, and known once the step was taken.

// tested is with what an instruction's result is compared, if it is an addition of this kind.
type tested struct {
	static.Pivot
	is bool
}

// Test implements por.Tester.
func (s *System) Test(on bool) {
	s.Blends.testing = on && s.Blends.on
	s.Unlist()
}

// found is the blend of an addition by what it found, made since a moment of the machine's journal, and
// its trace.Transition.More.
func (bl *blends) found(a *trace.Access, since uint64) (trace.Blend, uint8) {
	if !bl.on || bl.in.image.FlagsCross() || !bl.unordered(a) {
		return trace.NoBlend, 0
	}
	if bl.byCode(a.PC) == trace.BlendAdd { // it is awaited, and only so it counts which number it is
		before, added := bl.change(a, since)
		return trace.TestedAddition(a.Size, added, -1, before)
	}
	if bl.side.pc == a.PC {
		return bl.side.blend, bl.side.more
	}
	k := bl.pivotAt(a.PC)
	if !k.is {
		return trace.NoBlend, 0
	}
	before, added := bl.change(a, since)
	if k.Sum {
		k.Number = -added
	}
	return trace.TestedAddition(a.Size, added, k.Number, before)
}

// pivotAt is static.PivotAt, remembered.
func (bl *blends) pivotAt(pc uint64) (k tested) {
	k, known := bl.adds[pc]
	if !known {
		k.Pivot, k.is = static.PivotAt(bl.in.image.File, pc)
		bl.adds[pc] = k
	}
	return k
}

// change gives the value of an access's bytes at a moment of the machine's journal, and how much was
// added since, as signed numbers.
func (bl *blends) change(a *trace.Access, since uint64) (before, added int64) {
	var first, last uint64
	n := 0
	bl.in.machine.Values(since, a.Addr, uint64(a.Size), func(v uint64) {
		if first = v; n == 0 {
			last = v
		}
		n++
	})
	shift := 64 - 8*a.Size
	return int64(first<<shift) >> shift, int64((last-first)<<shift) >> shift
}
