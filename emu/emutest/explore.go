package emutest

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// System is a guest that can be run in every way, as a search has it.
type System interface {
	Mark() trace.Mark
	Rewind(trace.Mark)
	Threads([]trace.Thread) []trace.Thread
	Present() *trace.Present
	Step(trace.TID, trace.Choice) (*trace.Transition, error)
}

// Explore runs all interleavings of a system from its root, again while points become finer,
// and counts what end tells of each one's end. In each state that it reaches the list of
// threads that is kept has to agree with one made anew, and state is called if it isn't nil.
func Explore(t testing.TB, s System, root trace.Mark, state func(), end func() string) map[string]int {
	t.Helper()
	ends := map[string]int{}
	var from func() bool
	from = func() bool {
		k, any := s.Mark(), false
		threads := s.Threads(nil)
		if p := s.Present(); !same(p.Threads, threads) {
			t.Fatalf("the list that is kept: %+v\nand made anew: %+v", p.Threads, threads)
		}
		if state != nil {
			state()
		}
		for _, th := range threads {
			for c := range trace.Choice(th.Outcomes) {
				if th.Status != trace.Ready {
					continue
				}
				any = true
				tr, err := s.Step(th.ID, c)
				if err == trace.ErrFiner {
					return false
				}
				if err != nil {
					t.Fatal(err)
				}
				if tr.End == trace.EndProcess || tr.End == trace.EndBug {
					ends[end()]++
				} else if !from() {
					return false
				}
				s.Rewind(k)
			}
		}
		if !any {
			ends[end()]++
		}
		return true
	}
	for s.Rewind(root); !from(); s.Rewind(root) {
		clear(ends)
	}
	s.Rewind(root)
	return ends
}

// same compares the listings of threads, without what points to elsewhere.
func same(a, b []trace.Thread) bool {
	return slices.EqualFunc(a, b, func(x, y trace.Thread) bool { return fmt.Sprintf("%+v", x) == fmt.Sprintf("%+v", y) })
}
