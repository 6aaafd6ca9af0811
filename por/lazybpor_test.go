package por

import (
	"fmt"
	"testing"

	"landgo/por/internal/model"
)

// TestLazyHeuristic: looking at fewer prefixes lets more traces in and keeps
// none out; enough of them let in exactly those within the bound.
func TestLazyHeuristic(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(2, 3), model.TwoCells(3), model.FibBench(3, 34), model.MutexInc(3, 2)} {
		bound := Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, 1}}}
		found := func(search string, opts Options) *survey {
			s, err := explore(search, p, opts)
			if err != nil || !s.stats.Complete {
				t.Fatal(search, err, s.stats)
			}
			return s
		}
		all := found("source", single)
		within := found("bpor", bound)
		before := all
		for _, prefixes := range []int{1, 50, 1 << 20} {
			s := found(fmt.Sprintf("lazy-bpor:prefixes=%d", prefixes), bound)
			for c := range within.traces {
				if s.traces[c] == nil {
					t.Errorf("prefixes=%d keeps out a trace within the bound", prefixes)
				}
			}
			for c := range s.traces {
				if before.traces[c] == nil {
					t.Errorf("prefixes=%d lets in a trace that fewer keep out", prefixes)
				}
			}
			before = s
		}
		if len(before.traces) != len(within.traces) || len(within.traces) == len(all.traces) {
			t.Errorf("%d traces, %d are within the bound, of %d", len(before.traces), len(within.traces), len(all.traces))
		}
		if rough := found("lazy-bpor:prefixes=1", bound); len(rough.traces) == len(within.traces) {
			t.Errorf("one prefix is enough to tell %d of %d traces: no test of the heuristic", len(within.traces), len(all.traces))
		}
	}
}
