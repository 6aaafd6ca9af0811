package config

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/trace"
)

// Ignored is a known bug that a search goes on behind: a kind of bug, and a function, or
// "" for any.
type Ignored struct {
	Kind     string `json:"kind"`
	Function string `json:"function,omitempty"`
}

// HeapErrors stands for the kinds of errors of the heap.
const HeapErrors = "heap"

var heapErrors = []trace.BugKind{trace.UseAfterFree, trace.HeapOverflow, trace.DoubleFree, trace.InvalidFree, trace.DoubleAllocation}

// ignorable are the kinds that can be ignored. Races and outputs that differ are bugs on
// request only.
var ignorable = func() (names []string) {
	for _, k := range []trace.BugKind{trace.Assertion, trace.Deadlock, trace.Livelock, trace.Segfault, trace.IllegalInstruction, trace.DivideError,
		trace.DeadStack, trace.StackOverflow, trace.LockMisuse, trace.Leak, trace.UninitialisedRead,
		trace.Invariant, trace.Unreached, trace.Linearizability} {
		names = append(names, string(k))
	}
	for _, k := range heapErrors {
		names = append(names, string(k))
	}
	return append(names, HeapErrors)
}()

func setIgnored(c *Config, v string) error {
	kind, function, named := strings.Cut(v, "@")
	if !slices.Contains(ignorable, kind) {
		return fmt.Errorf("want KIND or KIND@FUNCTION with one of %s; got %q%s", strings.Join(ignorable, ", "), v, DidYouMean("%s", kind, ignorable))
	}
	if named && (function == "" || strings.ContainsAny(function, " \t\n")) {
		return fmt.Errorf("want a function's name after %s@, got %q", kind, function)
	}
	c.Ignore = append(c.Ignore, Ignored{kind, function})
	return nil
}

func (i Ignored) String() string {
	if i.Function == "" {
		return i.Kind
	}
	return i.Kind + "@" + i.Function
}

// Ignores is the first rule by which a bug is ignored. The functions are those on the
// call stacks of the threads that it is about.
func (c *Config) Ignores(kind trace.BugKind, functions []string) (rule Ignored, ok bool) {
	for _, i := range c.Ignore {
		of := i.Kind == string(kind) || i.Kind == HeapErrors && slices.Contains(heapErrors, kind)
		if of && (i.Function == "" || slices.Contains(functions, i.Function)) {
			return i, true
		}
	}
	return rule, false
}
