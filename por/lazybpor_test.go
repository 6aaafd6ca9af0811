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
			s := found(fmt.Sprintf("lazy-bpor:cut=0,prefixes=%d", prefixes), bound)
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
		if rough := found("lazy-bpor:cut=0,prefixes=1", bound); len(rough.traces) == len(within.traces) {
			t.Errorf("one prefix is enough to tell %d of %d traces: no test of the heuristic", len(within.traces), len(all.traces))
		}
	}
}

// lazyPrograms are those by which Lazy-BPOR's cuts are compared.
var lazyPrograms = map[string]*model.Program{
	"micro": model.Micro(3, 2), "two cells": model.TwoCells(2), "fib_bench": model.FibBench(2, 3), "mutex_inc": model.MutexInc(3, 2),
}

// within runs a search of the program within this many preemptions, to its end.
func within(t *testing.T, search string, p *model.Program, preemptions int) *survey {
	t.Helper()
	s, err := explore(search, p, Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, preemptions}}})
	if err != nil || !s.stats.Complete {
		t.Fatal(search, err, s.stats)
	}
	return s
}

// TestLazyCuts: what is cut off on the way are traces beyond the bound, each of the
// others is run once, and the work is about that of bpor. The cheapest order of whole blocks
// is never below the least, and above it at times.
func TestLazyCuts(t *testing.T) {
	more := false
	for name, p := range lazyPrograms {
		for b := range 3 {
			whole, cut, bpor := within(t, "lazy-bpor:cut=0", p, b), within(t, "lazy-bpor", p, b), within(t, "bpor", p, b)
			for c := range whole.traces {
				if cut.traces[c] == nil {
					t.Errorf("%s, %d: a trace within the bound is cut off", name, b)
				}
			}
			if n := uint64(len(whole.traces)); cut.stats.Executions != n || uint64(len(cut.traces)) != n {
				t.Errorf("%s, %d: %d executions of %d traces, want %d of each", name, b, cut.stats.Executions, len(cut.traces), n)
			}
			if cut.stats.Transitions > 4*bpor.stats.Transitions || name == "micro" && cut.stats.Transitions > whole.stats.Transitions/10 {
				t.Errorf("%s, %d: %d transitions; %d when nothing is cut off, bpor %d", name, b, cut.stats.Transitions, whole.stats.Transitions, bpor.stats.Transitions)
			}
			if name == "micro" && b != 1 {
				continue // each time all of its 51318 traces
			}
			blocks := within(t, "lazy-bpor:cut=0,blocks=1", p, b)
			for c := range blocks.traces {
				if whole.traces[c] == nil {
					t.Errorf("%s, %d: the blocks let in a trace beyond the bound", name, b)
				}
			}
			more = more || len(blocks.traces) < len(whole.traces)
		}
	}
	if !more {
		t.Error("the blocks tell the least every time: no test of the estimate")
	}
}

// TestLazyPrinted: Algorithm 11 as printed leaves out traces within the bound, with the
// exact least of a prefix and with the blocks' estimate.
func TestLazyPrinted(t *testing.T) {
	p := lazyPrograms["micro"]
	all := within(t, "lazy-bpor", p, 0)
	for _, search := range []string{"lazy-bpor:cut=2", "lazy-bpor:cut=2,blocks=1"} {
		if s := within(t, search, p, 0); len(s.traces) == 0 || len(s.traces) >= len(all.traces) {
			t.Errorf("%s has %d of %d traces: it isn't unsound here", search, len(s.traces), len(all.traces))
		}
		if spec, err := ParseSpec(search); err != nil || spec.Claim() != Nothing {
			t.Errorf("%s claims to prove something (%v)", search, err)
		}
	}
}
