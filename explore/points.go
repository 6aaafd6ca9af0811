package explore

import (
	"strings"

	"landgo/result"
)

// Points is a set of kinds of preemption points. Invariant: it contains
// PointYield, and all that PointMem includes if it contains that.
type Points uint16

const (
	PointYield Points = 1 << iota
	PointLock
	PointUnlock
	PointAtomic
	PointCLI
	PointSTI
	PointRace
	pointMem

	// PointMem is before every access to memory that threads share, and all of
	// the others that every guest can have.
	PointMem = pointMem | PointYield | PointLock | PointUnlock | PointAtomic
)

// pointKinds has the kinds in the order in which they are shown.
var pointKinds = []struct {
	name string
	set  Points
	doc  string
}{
	{"yield", PointYield, "where a thread gives way of its own accord; always on"},
	{"lock", PointLock, "before a mutex, semaphore, read-write lock, barrier or once is acquired, and before cond_wait's reacquire; in a guest without symbols, before locked instructions"},
	{"unlock", PointUnlock, "after a release: unlock, sem_post, signal, broadcast; in a guest without symbols, before locked instructions"},
	{"atomic", PointAtomic, "before lock-prefixed instructions and xchg with memory"},
	{"mem", PointMem, "before every access to memory that threads share, and all of the above"},
	{"cli", PointCLI, "before interrupts are switched off (kernels only)"},
	{"sti", PointSTI, "after interrupts are switched on (kernels only)"},
	{"race", PointRace, "at instructions found racing (not there yet)"},
}

// Has reports whether all of the points of p are in the set.
func (s Points) Has(p Points) bool { return s&p == p }

// String is the set as --pp takes it.
func (s Points) String() string {
	var names []string
	for _, k := range pointKinds {
		if s.Has(PointMem) && PointMem.Has(k.set) && k.set != PointMem {
			continue // mem says it
		}
		if s.Has(k.set) {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, ",")
}

// ParsePoints reads a comma list of kinds.
func ParsePoints(list string) (Points, error) {
	set := PointYield
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		p, err := pointNamed(name)
		if err != nil {
			return 0, err
		}
		set |= p
	}
	return set, nil
}

// PointKind describes a kind of preemption point, for the reference.
type PointKind struct{ Name, Doc string }

// PointKinds lists the kinds in the order in which they are shown.
func PointKinds() (kinds []PointKind) {
	for _, k := range pointKinds {
		kinds = append(kinds, PointKind{k.name, k.doc})
	}
	return kinds
}

// pointNames lists the kinds' names.
func pointNames() (names []string) {
	for _, k := range pointKinds {
		names = append(names, k.name)
	}
	return names
}

func pointNamed(name string) (Points, error) {
	for _, k := range pointKinds {
		if k.name == name {
			return k.set, nil
		}
	}
	if name == "" {
		return 0, result.Errorf(result.UnknownPoint, "empty preemption point in --pp")
	}
	return 0, result.Errorf(result.UnknownPoint, "unknown preemption point %q in --pp%s", name, DidYouMean("%q", name, pointNames()))
}

// MarshalText implements encoding.TextMarshaler.
func (s Points) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Points) UnmarshalText(text []byte) error {
	p, err := ParsePoints(string(text))
	*s = p
	return err
}
