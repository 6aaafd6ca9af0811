package explore

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"landgo/explore/config"
	"landgo/por"
	"landgo/result"
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

// sameFor runs a configuration with so many workers, one number after the other, and
// returns what all of these runs report but for durations.
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
// often it is tried, also if a search is divided before everything is known of
// what threads share; and its verdict and executions are those of a search that
// isn't divided.
func TestJobs(t *testing.T) {
	defer func() { warmUp, unitSteps = 0, 0 }()
	for _, guest := range []struct{ name, variant, search, bound string }{
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
	} {
		c := config.Default()
		c.Guest, c.Out, c.Search = build(t, "gcc", "-O1", guest.name, guest.variant), config.NoFile, guest.search
		if guest.bound != "" {
			var err error
			if c.Bounds, err = por.ParseBounds(guest.bound); err != nil {
				t.Fatal(err)
			}
		}
		warmUp, unitSteps = 0, 0
		whole, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, warmUp = range []uint64{1, 20, 200} {
			unitSteps = warmUp + 10
			r := sameFor(t, c, 1, 2, 3, 8, 2, 3)
			if r.Verdict != whole.Verdict || r.Bug == nil && (r.Executions != whole.Executions || r.Threads != whole.Threads || r.Unexamined != whole.Unexamined) {
				t.Errorf("%s, %s, divided after %d: %v, %d executions, %d threads; undivided %v, %d, %d", guest.name, guest.search, warmUp,
					r.Verdict, r.Executions, r.Threads, whole.Verdict, whole.Executions, whole.Threads)
			}
		}
	}
}
