package trace

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Points is a set of kinds of preemption points. Voluntary switches (yield, sleep,
// blocking, a thread's end) are always points.
type Points uint16

const (
	// PointYield: where a thread gives the processor up of its own accord.
	PointYield Points = 1 << iota
	// PointLock: before acquiring: mutex lock and trylock, sem_wait, rwlock,
	// a condition variable's reacquire, barrier, once.
	PointLock
	// PointUnlock: after releasing: unlock, sem_post, signal, broadcast.
	PointUnlock
	// PointAtomic: before lock-prefixed and xchg-memory instructions.
	PointAtomic
	// PointCLI: of kernels, before interrupts go off.
	PointCLI
	// PointSTI: after they have come on.
	PointSTI
	// PointRace: before the accesses of some instructions.
	PointRace
	// PointSync: before every operation that other threads could notice but for plain
	// accesses, be it a trusted function, a trap or a locked instruction. Lock and unlock
	// are merged as with PointMem.
	PointSync
	// PointMem: before every access to memory that threads share.
	PointMem
)

// A user's set has PointYield, and all that a kind includes which is in it.
const (
	// SyncPoints is sync with the kinds that it includes.
	SyncPoints = PointSync | PointYield | PointLock | PointAtomic
	// MemPoints is mem with the kinds that it includes: all that every guest can have.
	MemPoints = PointMem | SyncPoints | PointUnlock
)

// PointKind is a kind of preemption points as users know it: its name in a list, all that
// it includes, and what it means.
type PointKind struct {
	Name string
	Set  Points
	Doc  string
}

var pointKinds = []PointKind{
	{"yield", PointYield, "where a thread gives way of its own accord; always on"},
	{"lock", PointLock, "before a mutex, semaphore, read-write lock, barrier or once is acquired, and before cond_wait's reacquire; in a guest without symbols, before locked instructions"},
	{"unlock", PointUnlock, "after a release: unlock, sem_post, signal, broadcast; in a guest without symbols, before locked instructions"},
	{"atomic", PointAtomic, "before lock-prefixed instructions and xchg with memory"},
	{"sync", SyncPoints, "before every operation that other threads can observe: all functions of synchronisation, locked instructions, system calls; includes lock and atomic"},
	{"mem", MemPoints, "before every access to memory that threads share, and all of the above"},
	{"cli", PointCLI, "before interrupts are switched off (kernels only)"},
	{"sti", PointSTI, "after interrupts are switched on (kernels only)"},
	{"race", PointRace, "before the accesses of the instructions after the equals sign, and of those found racing if there are none: race=ADDRESS or race=FUNCTION+OFFSET, several with + between"},
}

// PointKinds lists the kinds in the order in which they are shown.
func PointKinds() []PointKind { return slices.Clone(pointKinds) }

// Name is the name of a kind's set; "" if it is none.
func (s Points) Name() string {
	for _, k := range pointKinds {
		if k.Set == s {
			return k.Name
		}
	}
	return ""
}

// Has reports whether all of the points of p are in the set.
func (s Points) Has(p Points) bool { return s&p == p }

// String is a user's set as --pp takes it, without the places of PointRace.
func (s Points) String() string {
	var names []string
	for _, k := range pointKinds {
		if s.Has(MemPoints) && MemPoints.Has(k.Set) && k.Set != MemPoints ||
			s.Has(SyncPoints) && SyncPoints.Has(k.Set) && k.Set != SyncPoints && k.Set != PointYield {
			continue // mem or sync says it
		}
		if s.Has(k.Set) {
			names = append(names, k.Name)
		}
	}
	return strings.Join(names, ",")
}

// At is the set with the places of PointRace, as --pp takes it.
func (s Points) At(places []string) string {
	text := s.String()
	if s.Has(PointRace) && len(places) > 0 {
		text += "=" + strings.Join(places, "+")
	}
	return text
}

// PointError is a fault of a list of points.
type PointError struct {
	Name   string
	Known  bool   // it is a kind, but not one that takes places
	Places string // its text behind the equals sign
}

func (e *PointError) Error() string {
	switch {
	case e.Known:
		return fmt.Sprintf("only race takes places, in --pp %s=%s", e.Name, e.Places)
	case e.Name == "":
		return "empty preemption point in --pp"
	}
	return fmt.Sprintf("unknown preemption point %q in --pp", e.Name)
}

// ParsePoints reads a comma list of kinds. places are the texts behind race=, in their
// order. An error is a *PointError.
func ParsePoints(list string) (set Points, places []string, err error) {
	set = PointYield
	for _, word := range strings.Split(list, ",") {
		name, text, given := strings.Cut(strings.TrimSpace(word), "=")
		i := slices.IndexFunc(pointKinds, func(k PointKind) bool { return k.Name == name })
		switch {
		case i < 0:
			return 0, nil, &PointError{Name: name}
		case given && pointKinds[i].Set != PointRace:
			return 0, nil, &PointError{Name: name, Known: true, Places: text}
		case given:
			places = append(places, text)
		}
		set |= pointKinds[i].Set
	}
	return set, places, nil
}

// MarshalText implements encoding.TextMarshaler: a user's set as --pp takes it, any other
// as a number.
func (s Points) MarshalText() ([]byte, error) {
	text := s.String()
	if again, _, err := ParsePoints(text); err != nil || again != s {
		text = fmt.Sprintf("%#x", uint16(s))
	}
	return []byte(text), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Points) UnmarshalText(text []byte) error {
	if n, err := strconv.ParseUint(string(text), 0, 16); err == nil {
		*s = Points(n)
		return nil
	}
	p, places, err := ParsePoints(string(text))
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%q has places, want kinds only", text)
	}
	*s = p
	return err
}

// Points is the kinds of points that there are before an operation, or after it, of
// those that are for locks.
func (k OpKind) Points() Points {
	switch k {
	case OpLock, OpTryLock, OpReadLock, OpTryReadLock, OpWriteLock, OpTryWriteLock,
		OpCondWait, OpSemWait, OpSemTryWait, OpBarrierArrive, OpOnce, OpOncePass:
		return PointLock
	case OpUnlock, OpWriteUnlock, OpCondSignal, OpCondBroadcast, OpSemPost:
		return PointUnlock
	}
	return 0
}
