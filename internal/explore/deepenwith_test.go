package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestDeepeningWith: an option limits what is explored, or says what counts as a
// bug. With it, a deepening that is left early for other sets says what one search
// of all points says.
func TestDeepeningWith(t *testing.T) {
	warm(t, 1)
	deepened := 0
	for _, g := range []struct{ name, option, value string }{
		{"fib_bench-N3", "within", "t1"},
		{"fib_bench-N3", "without", "t2"},
		{"fib_bench-N3-BAD", "without", "main"},
		{"lost_update", "without", "main"},
		{"fib_bench-N3", "fail-on", "race"},
		{"peterson-N2", "fail-on", "race"},
		{"peterson-N2-BAD", "fail-on", "race"},
		{"race_flag", "fail-on", "race"},
		{"race_heap", "fail-on", "race"},
		{"race_heap-fixed", "fail-on", "race"},
		{"race_recycled-fixed", "fail-on", "race"},
	} {
		for _, goesOn := range []bool{false, true} {
			c := config.Default()
			c.Guest, c.Out, c.KeepGoing = compile.Guest(t, "musl-O1/"+g.name), config.NoFile, goesOn
			if err := config.OptionNamed(g.option).Apply(&c, g.value); err != nil {
				t.Fatal(err)
			}
			got, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Jobs) > 1 && got.Jobs[1].Transitions > 0 {
				deepened++
			}
			c.Deepen = false
			want, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != want.Verdict || got.Granularity != want.Granularity || goesOn && len(got.Bugs) != len(want.Bugs) {
				t.Errorf("%s --%s %s, keep going %v: %s at %s with %d bugs, want %s at %s with %d", g.name, g.option, g.value, goesOn,
					got.Verdict, got.Granularity, len(got.Bugs), want.Verdict, want.Granularity, len(want.Bugs))
			}
			if got.Verdict == result.Verified && (got.Executions != want.Executions || got.Unexamined != want.Unexamined) {
				t.Errorf("%s --%s %s: %d executions, %d unexamined, want %d, %d", g.name, g.option, g.value, got.Executions, got.Unexamined, want.Executions, want.Unexamined)
			}
		}
	}
	if deepened < 4 {
		t.Errorf("%d deepenings had more than one job: the test tests little", deepened)
	}
}

// TestMaxExecutions: a deepening ends after as many executions of all its jobs
// together as are allowed, and says verified if they are enough.
func TestMaxExecutions(t *testing.T) {
	warm(t, 1)
	c := config.Default()
	c.Guest, c.Out = compile.Guest(t, "musl-O1/fib_bench-N3"), config.NoFile
	whole, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := uint64(0)
	for _, j := range whole.Jobs {
		ran += j.Executions
	}
	for _, c.MaxExecutions = range []uint64{1, 100, 700, 1000, 2 * ran} {
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.MaxExecutions > ran {
			if r.Verdict != result.Verified {
				t.Errorf("%d executions: %s", c.MaxExecutions, r.Verdict)
			}
			continue
		}
		if r.Verdict != result.Budget || r.Problem != result.OutOfExecutions || r.Executions != c.MaxExecutions {
			t.Errorf("%d executions: %s (%s) after %d", c.MaxExecutions, r.Verdict, r.Reason, r.Executions)
		}
	}
}
