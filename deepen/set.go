package deepen

import "slices"

// Kinds is a set of kinds of preemption points, a bit each. A kind that includes
// others has their bits, too.
type Kinds uint16

// Set is a set of preemption points: kinds, and single instructions. At is in
// ascending order. A Set is a value: nothing changes one.
type Set struct {
	Kinds Kinds
	At    []uint64
}

// With is the set with one instruction more.
func (s Set) With(at uint64) Set {
	i, ok := slices.BinarySearch(s.At, at)
	if ok {
		return s
	}
	return Set{s.Kinds, slices.Insert(slices.Clone(s.At), i, at)}
}

// WithAll is the set with more instructions.
func (s Set) WithAll(at []uint64) Set {
	for _, a := range at {
		s = s.With(a)
	}
	return s
}

// Has reports whether the instruction is one of the set.
func (s Set) Has(at uint64) bool {
	_, ok := slices.BinarySearch(s.At, at)
	return ok
}

// within reports whether s is a subset of t; every instruction is in a set that
// has the kinds all.
func (s Set) within(t Set, all Kinds) bool {
	if s.Kinds&^t.Kinds != 0 {
		return false
	}
	if t.Kinds&all == all {
		return true
	}
	for _, a := range s.At {
		if !t.Has(a) {
			return false
		}
	}
	return true
}

func (s Set) equal(t Set) bool { return s.Kinds == t.Kinds && slices.Equal(s.At, t.At) }
