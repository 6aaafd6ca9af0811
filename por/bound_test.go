package por

import (
	"strings"
	"testing"

	"landgo/por/internal/model"
)

// TestPreemptionTable: the traces that some schedule with at most K
// preemptions produces, as GenMC's BUSTER counts them.
func TestPreemptionTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		prog   *model.Program
		traces []int // for K = 0, 1, ...
	}{
		{"ring 3", model.Ring(3), []int{2, 6, 14}},
		{"mutex_inc 2 3", model.MutexInc(2, 3), []int{2, 6, 14}},
		{"mutex_inc 3 2", model.MutexInc(3, 2), []int{6, 24}},
		{"micro 2 3", model.Micro(2, 3), []int{2, 14, 72, 200}},
		{"fib_bench 3", model.FibBench(3, 34), []int{2, 17, 102}},
		{"peterson 1", model.Peterson(1), []int{2, 10, 14, 14}},
		{"peterson 2", model.Peterson(2), []int{2, 20, 74}},
		{"two_cells 2", model.TwoCells(2), []int{6, 20, 22}},
		{"two_cells 3", model.TwoCells(3), []int{24, 150}},
	} {
		for _, search := range append([]string{"none", "lazy-bpor"}, conservative...) {
			for k, want := range c.traces {
				s, err := explore(search, c.prog, Options{Bounds: Bounds{{Preempt, k}}, OneEvent: true, Unmerged: true})
				if err != nil {
					t.Fatal(err)
				}
				if len(s.traces) != want || !s.stats.Complete {
					t.Errorf("%s, %s, %d preemptions: %d traces of %+v, want %d", search, c.name, k, len(s.traces), s.stats, want)
				}
			}
		}
	}
}

// TestIterate: bounds one after the other count each execution and transition
// once.
func TestIterate(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(2, 2), model.Philosophers(3, false), model.Peterson(1)} {
		for k := 0; k <= 2; k++ {
			bound := Bounds{{Preempt, k}}
			once, err := explore("none", p, Options{Bounds: bound})
			if err != nil {
				t.Fatal(err)
			}
			least := -1
			grows := &tally{stop: func(x *Execution) bool {
				if x.Preemptions < least {
					t.Errorf("%d preemptions after %d", x.Preemptions, least)
				}
				least = x.Preemptions
				return false
			}}
			s, _ := New("none", Options{Bounds: bound, Iterate: true})
			st, err := s.Run(model.New(p), grows)
			if err != nil {
				t.Fatal(err)
			}
			want := once.stats
			if st.Executions != want.Executions || st.Transitions != want.Transitions || st.Pruned != want.Pruned || !st.Complete {
				t.Errorf("bound %d: %+v, at once %+v", k, st, want)
			}
			if (st.Replayed > 0) != (k > 0) {
				t.Errorf("bound %d: %d steps replayed", k, st.Replayed)
			}
		}
	}
}

// TestIterateFindsLeast: the first bug has the fewest preemptions.
func TestIterateFindsLeast(t *testing.T) {
	p := &model.Program{Bytes: 8, MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Load}, {Code: model.AssNe, C: 1}, {Code: model.Join, A: 1}},
		{{Code: model.Store, C: 1}},
	}}
	found := -1
	s, _ := New("none", Options{Bounds: Bounds{{Preempt, 5}}, Iterate: true})
	_, err := s.Run(model.New(p), &tally{stop: func(x *Execution) bool {
		if x.Ending == EndedBug {
			found = x.Preemptions
		}
		return found >= 0
	}})
	if err != nil || found != 1 {
		t.Errorf("found with %d preemptions, %v; want 1", found, err)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		search, bounds string
		iterate        bool
		want           string // "": fine
	}{
		{"none", "preempt=2", false, ""},
		{"none", "preempt=2", true, ""},
		{"none", "none", false, ""},
		{"optimal", "preempt=2", false, "search optimal isn't sound under the bound preempt=2: it leaves out"},
		{"sleep", "preempt=0", false, "isn't sound under"},
		{"dpor", "preempt=0", false, "isn't sound under"},
		{"source", "preempt=0", false, "isn't sound under"},
		{"none", "preempt", false, "want preempt=N"},
		{"none", "preempt=-1", false, "want preempt=N"},
		{"none", "preempt=x", false, "want preempt=N"},
		{"none", "preempt=99999999999", false, "want preempt=N"},
		{"none", "luck=2", false, "no bound \"luck=2\": use preempt=N, fair=N"},
		{"none", "preempt=1,preempt=2", false, "given twice"},
		{"none", "", true, "needs a bound"},
		{"magic", "", false, "no search \"magic\": use one of none, bounded"},
		{"optimal:x=1", "", false, "has no option \"x\""},
	} {
		bounds, err := ParseBounds(c.bounds)
		if err == nil {
			_, err = New(c.search, Options{Bounds: bounds, Iterate: c.iterate})
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %q", c.search, c.bounds, err, c.want)
		}
	}
}

// TestBoundsText: what String writes, ParseBounds reads.
func TestBoundsText(t *testing.T) {
	for _, text := range []string{"none", "preempt=0", "preempt=2,fair=5", "rounds=3", "delay=1,switches=9"} {
		b, err := ParseBounds(text)
		if err != nil || b.String() != text {
			t.Errorf("%q: %v, %v", text, b, err)
		}
	}
	if b, err := ParseBounds("fair=5,preempt=2"); err != nil || b.String() != "preempt=2,fair=5" {
		t.Errorf("another order: %v, %v", b, err)
	}
}
