package config

import (
	"strings"

	"landgo/internal/result"
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
	pointSync
	pointMem

	// PointMem is before every access to memory that threads share, and all of
	// the others that every guest can have.
	PointMem = pointMem | PointYield | PointLock | PointUnlock | PointAtomic | pointSync
	// PointSync is before every operation that threads could notice, and so
	// includes the kinds that are before one.
	PointSync = pointSync | PointYield | PointLock | PointAtomic
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
	{"sync", PointSync, "before every operation that other threads can observe: all functions of synchronisation, locked instructions, system calls; includes lock and atomic"},
	{"mem", PointMem, "before every access to memory that threads share, and all of the above"},
	{"cli", PointCLI, "before interrupts are switched off (kernels only)"},
	{"sti", PointSTI, "after interrupts are switched on (kernels only)"},
	{"race", PointRace, "before the accesses of the instructions after the equals sign, and of those found racing if there are none: race=ADDRESS or race=FUNCTION+OFFSET, several with + between"},
}

// Has reports whether all of the points of p are in the set.
func (s Points) Has(p Points) bool { return s&p == p }

// String is the set as --pp takes it.
func (s Points) String() string {
	var names []string
	for _, k := range pointKinds {
		if s.Has(PointMem) && PointMem.Has(k.set) && k.set != PointMem ||
			s.Has(PointSync) && PointSync.Has(k.set) && k.set != PointSync && k.set != PointYield {
			continue // mem or sync says it
		}
		if s.Has(k.set) {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, ",")
}

// ParsePoints reads a comma list of kinds.
func ParsePoints(list string) (Points, error) {
	set, places, err := parsePoints(list)
	if err == nil && len(places) > 0 {
		err = result.Errorf(result.UnknownPoint, "%q has places, want kinds only", list)
	}
	return set, err
}

// parsePoints reads a comma list of kinds, with places after race=.
func parsePoints(list string) (set Points, places []string, err error) {
	set = PointYield
	for _, name := range strings.Split(list, ",") {
		name, text, given := strings.Cut(strings.TrimSpace(name), "=")
		p, err := pointNamed(name)
		if err != nil {
			return 0, nil, err
		}
		if given {
			if p != PointRace {
				return 0, nil, result.Errorf(result.UnknownPoint, "only race takes places, in --pp %s=%s", name, text)
			}
			if places, err = parsePlaces(text); err != nil {
				return 0, nil, err
			}
		}
		set |= p
	}
	return set, places, nil
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
