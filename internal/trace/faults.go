package trace

import (
	"fmt"
	"strconv"
	"strings"
)

// FaultKind is a kind of failure that a search can have a call of the guest end with.
type FaultKind uint8

// The kinds of failures.
const (
	FaultMalloc   FaultKind = iota // an allocation gets no memory
	FaultSpurious                  // a wait on a condition ends for nothing
	FaultEINTR                     // a call that waits is interrupted
	FaultCreate                    // no thread can be created
	FaultTryLock                   // a try for a mutex that is free fails
	NumFaults
)

var faultNames = [NumFaults]string{"malloc", "spurious", "eintr", "create", "trylock"}

func (k FaultKind) String() string {
	if k < NumFaults {
		return faultNames[k]
	}
	return fmt.Sprintf("fault(%d)", uint8(k))
}

// Faults says how many failures of each kind an execution has at the most.
type Faults [NumFaults]uint8

// Any reports whether there may be one.
func (f Faults) Any() bool { return f != Faults{} }

// String is the form that ParseFaults reads: "malloc=1,spurious=2".
func (f Faults) String() string {
	var list []string
	for k, n := range f {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s=%d", faultNames[k], n))
		}
	}
	return strings.Join(list, ",")
}

// Text says it in words: "at most one failing allocation".
func (f Faults) Text() string {
	words := [NumFaults][2]string{
		{"failing allocation", "failing allocations"}, {"spurious wake-up", "spurious wake-ups"}, {"interrupted call", "interrupted calls"},
		{"failing creation of a thread", "failing creations of threads"}, {"spuriously failing trylock", "spuriously failing trylocks"},
	}
	var list []string
	for k, n := range f {
		switch {
		case n == 1:
			list = append(list, "one "+words[k][0])
		case n > 1:
			list = append(list, fmt.Sprintf("%d %s", n, words[k][1]))
		}
	}
	if n := len(list); n > 1 {
		list = append(list[:n-2], list[n-2]+" and "+list[n-1])
	}
	return "at most " + strings.Join(list, ", ")
}

// maxFaults is how many failures of a kind an execution may have.
const maxFaults = 16

// FaultError is a mistake in a list of failures.
type FaultError struct {
	Name   string // of a kind that there isn't
	Number string // that isn't one
}

func (e *FaultError) Error() string {
	if e.Name != "" {
		return fmt.Sprintf("no failure %q", e.Name)
	}
	return fmt.Sprintf("%q isn't KIND=N with N from 1 to %d", e.Number, maxFaults)
}

// FaultNames lists the kinds.
func FaultNames() []string { return faultNames[:] }

// ParseFaults reads KIND=N,... An error is a *FaultError.
func ParseFaults(list string) (f Faults, err error) {
	for _, word := range strings.Split(list, ",") {
		word = strings.TrimSpace(word)
		name, number, _ := strings.Cut(word, "=")
		k := 0
		for k < len(faultNames) && faultNames[k] != name {
			k++
		}
		if k == len(faultNames) {
			return f, &FaultError{Name: name}
		}
		n, err := strconv.ParseUint(number, 10, 8)
		if err != nil || n < 1 || n > maxFaults || f[k] != 0 {
			return f, &FaultError{Number: word}
		}
		f[k] = uint8(n)
	}
	return f, nil
}
