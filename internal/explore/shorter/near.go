package shorter

import (
	"math"
	"slices"

	"landgo/por"
)

// The executions that differ in little from a bug's: without one of its preemptions, or with a
// thread's turn some steps earlier, or without all switches that aren't needed.

// maxPassing is how many of a bug's preemptions are tried.
const maxPassing = 8

// Near is an execution near the bug's that ends without a failure, and that the caller finds well; nil
// if there is none.
func (s *Shortener) Near(well func() bool) []por.PathStep {
	tries := []map[int]move{}
	for _, i := range slices.Backward(s.forced()) { // the latest differ the least
		if len(tries) < 2*maxPassing {
			tries = append(tries, map[int]move{i: longer}, map[int]move{i: later})
		}
	}
	passes := func() bool { return s.ended && s.failure == nil && well() }
	for n := 0; n < len(tries) && !s.over; n++ {
		if s.try(tries[n]); passes() {
			return s.path
		}
	}
	for _, s.turns = range slices.Concat(s.earlier(), s.meanwhile(), [][]turn{nil}) {
		if s.over {
			break
		}
		if s.try(nil); passes() {
			return s.path
		}
	}
	return nil
}

// meanwhile lists the finding's turns with another thread's whole run before one of the
// last steps.
func (s *Shortener) meanwhile() (list [][]turn) {
	path := s.Bug.Path
	s.turns = turnsOf(path)
	s.try(nil)
	starts := s.guest.Starts() // the threads that there are then
	for cut := len(path) - 1; cut > 0 && cut >= len(path)-maxEarlier; cut-- {
		for i := len(starts) - 1; i >= 0 && i >= len(starts)-maxEarlier; i-- {
			if t := starts[i].Thread; t != s.Bug.Failure.Thread {
				list = append(list, slices.Concat(turnsOf(path[:cut]), []turn{{thread: t, until: math.MaxUint64}}, turnsOf(path[cut:])))
			}
		}
	}
	return list
}

// maxEarlier is how many of the last switches, and steps before each, are tried.
const maxEarlier = 4

// earlier lists the finding's turns with one of the last ones some steps earlier.
func (s *Shortener) earlier() (list [][]turn) {
	path := s.Bug.Path
	for i, switches := len(path)-1, 0; i > 0 && switches < maxEarlier; i-- {
		if path[i].Thread == path[i-1].Thread {
			continue
		}
		switches++
		t := path[i].Thread
		until := path[i].Last
		for k := i; k < len(path) && path[k].Thread == t; k++ {
			until = path[k].Last
		}
		for cut := i - 1; cut > 0 && cut >= i-maxEarlier; cut-- {
			list = append(list, slices.Concat(turnsOf(path[:cut]), []turn{{thread: t, until: until + 1}}, turnsOf(path[cut:])))
		}
	}
	return list
}

// turnsOf divides a path into turns.
func turnsOf(path []por.PathStep) (list []turn) {
	for i := range path {
		if n := len(list); n > 0 && list[n-1].thread == path[i].Thread {
			list[n-1].until = path[i].Last
		} else {
			list = append(list, turn{thread: path[i].Thread, until: path[i].Last})
		}
	}
	return list
}
