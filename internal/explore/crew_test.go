package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/por"
)

// untimed is a result's JSON without its durations.
func untimed(t *testing.T, r *result.Result) string {
	t.Helper()
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`"[a-z_]*seconds[a-z_]*": [0-9.e+-]+`).ReplaceAllString(string(text), "")
}

// sameFor runs a configuration with this many workers, one number after the other, and returns
// what all of these runs report but for durations.
func sameFor(t *testing.T, c config.Config, jobs ...int) (r *result.Result) {
	t.Helper()
	want := ""
	for _, c.Jobs = range jobs {
		var err error
		if r, err = Run(context.Background(), c, nil); err != nil {
			t.Fatal(err)
		}
		got := untimed(t, r)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("%s, %s, %d workers:\n%s\n%d have\n%s", c.Guest, c.Search, c.Jobs, got, jobs[0], want)
		}
	}
	return r
}

// TestJobs: nothing that is reported depends on the number of workers, however
// often it is tried, also if a search is divided before everything is known of what
// threads share. Its verdict and executions are those of a search that isn't
// divided.
func TestJobs(t *testing.T) {
	defer func() { warmUp, unitSteps = 0, 0 }()
	guests := []struct{ name, variant, search, bound string }{
		{"ticket", "-DFIXED", "optimal", ""},
		{"increment", "-DFIXED", "none", ""},
		{"late_sharing", "-DFIXED", "none", ""},
		{"late_sharing", "-DFAULTY", "optimal", ""},
		{"trylock_backoff", "-DFIXED", "sleep", ""},
		{"lost_wakeup", "-DFAULTY", "source", ""},
		{"lost_wakeup", "-DFIXED", "nidhugg", ""},
		{"two_preemptions", "-DFAULTY", "optimal", ""},
		{"two_preemptions", "-DFAULTY", "bounded", "preempt=2"},
		{"increment", "-DFIXED", "bounded", "preempt=1"},
		{"detached", "-DFIXED", "dpor", ""},
	}
	configure := func(t *testing.T, i int) config.Config {
		c, g := config.Default(), guests[i]
		c.Guest, c.Out, c.Search, c.Coverage = build(t, "gcc", "-O1", g.name, g.variant), config.NoFile, g.search, true
		if g.bound != "" {
			var err error
			if c.Bounds, err = por.ParseBounds(g.bound); err != nil {
				t.Fatal(err)
			}
		}
		return c
	}
	// The guests are tried beside each other: all at one time are divided alike.
	part.Row(t) // in both ways
	whole := make([]*result.Result, len(guests))
	t.Run("undivided", func(t *testing.T) {
		for i, g := range guests {
			t.Run(g.name+" "+g.search, func(t *testing.T) {
				t.Parallel()
				var err error
				if whole[i], err = Run(context.Background(), configure(t, i), nil); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
	for w, jobs := range map[uint64][]int{1: {1, 2, 3}, 60: {8, 2, 2}} {
		warmUp, unitSteps = w, w+10
		t.Run(fmt.Sprint("divided after ", warmUp), func(t *testing.T) {
			for i, g := range guests {
				t.Run(g.name+" "+g.search, func(t *testing.T) {
					t.Parallel()
					r, whole := sameFor(t, configure(t, i), jobs...), whole[i]
					if r.Coverage.Run == 0 || len(r.Coverage.Points) == 0 || r.Bug == nil && (r.Coverage.Run != whole.Coverage.Run || len(r.Coverage.Points) != len(whole.Coverage.Points)) {
						t.Errorf("%d lines run, %d points; undivided %d, %d", r.Coverage.Run, len(r.Coverage.Points), whole.Coverage.Run, len(whole.Coverage.Points))
					}
					if r.Verdict != whole.Verdict || r.Bug == nil && (r.Executions != whole.Executions || r.Threads != whole.Threads || r.Unexamined != whole.Unexamined) {
						t.Errorf("%v, %d executions, %d threads; undivided %v, %d, %d",
							r.Verdict, r.Executions, r.Threads, whole.Verdict, whole.Executions, whole.Threads)
					}
				})
			}
		})
	}
}
