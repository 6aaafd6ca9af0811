package scheduler

import "landgo/internal/trace"

// Points is the set of kinds of preemption points that a search uses. A set of the
// scheduler's has neither PointYield nor PointRace: voluntary switches are always points,
// and instructions are given by their addresses.
type Points = trace.Points

const (
	PointLock   = trace.PointLock
	PointUnlock = trace.PointUnlock
	PointAtomic = trace.PointAtomic
	PointMem    = trace.PointMem
	PointSync   = trace.PointSync
	PointCLI    = trace.PointCLI
	PointSTI    = trace.PointSTI
)

// everyOperation: each operation that others could notice is a point.
func (s *System) everyOperation() bool { return s.cfg.Points&(PointMem|PointSync) != 0 }

// Rule restricts points by the call stack: where a function with the name is
// on the stack, points are allowed (Within) or not. The last matching rule
// wins; without a match points are allowed unless there is a Within rule
// (Landslide's within_function and without_function).
type Rule struct {
	Function string
	Within   bool
}

// allowed reports whether rules allow a point where the stack has these
// functions.
func allowed(rules []Rule, stack []string) bool {
	ok := true
	for _, r := range rules {
		if r.Within {
			ok = false
			break
		}
	}
	for _, r := range rules {
		for _, f := range stack {
			if f == r.Function {
				ok = r.Within
				break
			}
		}
	}
	return ok
}
