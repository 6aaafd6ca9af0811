package explore

import (
	"context"
	"testing"

	"landgo/result"
)

// TestJobs: what is reported doesn't depend on the number of workers, also if
// they come before everything is known of what threads share.
func TestJobs(t *testing.T) {
	warmUp = 1
	defer func() { warmUp = 0 }()
	for _, guest := range []struct{ name, variant, search string }{
		{"ticket", "-DFIXED", "optimal"},
		{"increment", "-DFIXED", "none"},
		{"late_sharing", "-DFIXED", "none"},
		{"late_sharing", "-DFAULTY", "optimal"},
		{"trylock_backoff", "-DFIXED", "sleep"},
		{"lost_wakeup", "-DFAULTY", "source"},
		{"two_preemptions", "-DFAULTY", "optimal"},
		{"detached", "-DFIXED", "dpor"},
	} {
		c := DefaultConfig()
		c.Guest, c.Out, c.Search = build(t, "gcc", "-O1", guest.name, guest.variant), NoFile, guest.search
		var want *result.Result
		for _, c.Jobs = range []int{1, 2, 3} {
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
				continue
			}
			if r.Verdict != want.Verdict || r.Executions != want.Executions || r.Threads != want.Threads || r.Unexamined != want.Unexamined {
				t.Errorf("%s, %s, %d jobs: %v, %d executions, %d threads; one has %v, %d, %d", guest.name, guest.search, c.Jobs,
					r.Verdict, r.Executions, r.Threads, want.Verdict, want.Executions, want.Threads)
			}
			if r.Bug != nil && (r.Bug.Schedule != want.Bug.Schedule || r.Transitions != want.Transitions) {
				t.Errorf("%s, %s, %d jobs: schedule %s, one has %s", guest.name, guest.search, c.Jobs, r.Bug.Schedule, want.Bug.Schedule)
			}
		}
	}
}
