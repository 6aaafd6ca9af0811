package por

import (
	"fmt"
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
		for k, want := range c.traces {
			s, err := explore("none", c.prog, Options{Bound: fmt.Sprintf("preempt=%d", k)})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.traces) != want || !s.stats.Complete {
				t.Errorf("%s, %d preemptions: %d traces of %+v, want %d", c.name, k, len(s.traces), s.stats, want)
			}
		}
	}
}

// TestIterate: bounds one after the other count each execution and transition
// once.
func TestIterate(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(2, 2), model.Philosophers(3, false), model.Peterson(1)} {
		for k := 0; k <= 2; k++ {
			bound := fmt.Sprintf("preempt=%d", k)
			once, err := explore("none", p, Options{Bound: bound})
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
			s, _ := New("none", Options{Bound: bound, Iterate: true})
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
	s, _ := New("none", Options{Bound: "preempt=5", Iterate: true})
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
		name string
		opts Options
		want string // "": fine
	}{
		{"none", Options{Bound: "preempt=2"}, ""},
		{"none", Options{Bound: "preempt=2", Iterate: true}, ""},
		{"optimal", Options{Bound: "preempt=2"}, "isn't sound under a bound"},
		{"sleep", Options{Bound: "preempt=0"}, "isn't sound under a bound"},
		{"dpor", Options{Bound: "preempt=0"}, "isn't sound under a bound"},
		{"source", Options{Bound: "preempt=0"}, "isn't sound under a bound"},
		{"none", Options{Bound: "preempt"}, "use preempt=N"},
		{"none", Options{Bound: "fair=2"}, "use preempt=N"},
		{"none", Options{Bound: "preempt=-1"}, "must be a number"},
		{"none", Options{Bound: "preempt=x"}, "must be a number"},
		{"none", Options{Iterate: true}, "needs a bound"},
		{"magic", Options{}, "use one of dpor, none, optimal, sleep, source"},
	} {
		_, err := New(c.name, c.opts)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %q", c.name, c.opts, err, c.want)
		}
	}
}
