package deepen

import (
	"slices"

	"landgo/internal/trace"
)

// Set is a set of preemption points: kinds, with all that each includes, and single
// instructions. At is in
// ascending order. Within are functions, in ascending order too. If there are
// any, one of them has to be on the call stack at a point. A Set is a value:
// nothing changes one.
type Set struct {
	Kinds  trace.Points
	At     []uint64
	Within []string `json:",omitempty"`
}

// With is the set with one instruction more.
func (s Set) With(at uint64) Set {
	i, ok := slices.BinarySearch(s.At, at)
	if ok {
		return s
	}
	return Set{s.Kinds, slices.Insert(slices.Clone(s.At), i, at), s.Within}
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
func (s Set) within(t Set, all trace.Points) bool {
	if s.Kinds&^t.Kinds != 0 || !narrower(s.Within, t.Within) {
		return false
	}
	if t.Kinds&all == all {
		return true
	}
	if len(s.At) > len(t.At) {
		return false
	}
	for _, a := range s.At {
		if !t.Has(a) {
			return false
		}
	}
	return true
}

// narrower reports whether all that is within the functions of s is within those of
// t; without any, everything is.
func narrower(s, t []string) bool {
	if len(t) == 0 {
		return true
	}
	return len(s) > 0 && !slices.ContainsFunc(s, func(f string) bool { return !slices.Contains(t, f) })
}

func (s Set) equal(t Set) bool {
	return s.Kinds == t.Kinds && slices.Equal(s.At, t.At) && slices.Equal(s.Within, t.Within)
}
