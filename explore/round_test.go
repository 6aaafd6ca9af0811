package explore

import (
	"context"
	"testing"

	"landgo/result"
)

// rounds has a deepening go in rounds from some number of steps on, each as
// short as is said.
func rounds(t testing.TB, from, length uint64) {
	oldOpening, oldSteps := opening, roundSteps
	opening, roundSteps = from, length
	t.Cleanup(func() { opening, roundSteps = oldOpening, oldSteps })
}

// TestJobsAtOnce: with several jobs at work at a time nothing that is reported
// depends on the number of workers, however often it is tried; nor does the
// verdict on whether there are rounds at all. Without the space of all points
// bugs, and memory that is shared late, are met in rounds.
func TestJobsAtOnce(t *testing.T) {
	warm(t, 0)
	several := 0
	for _, g := range []struct {
		name    string
		warm    uint64
		goesOn  bool
		lengths []uint64
	}{
		{"peterson-N2", 20, false, []uint64{1, 60, 1000}},
		{"peterson-N2", 0, false, []uint64{60}},
		{"late_sharing", 0, false, []uint64{1, 60}},
		{"late_sharing", 0, true, []uint64{1, 60}},
		{"late_sharing-fixed", 0, false, []uint64{1, 60}},
		{"two_preemptions", 0, false, []uint64{1, 60}},
		{"two_preemptions", 20, true, []uint64{60}},
		{"use_after_free", 0, true, []uint64{1, 60}},
		{"trylock_backoff-fixed", 20, false, []uint64{60}},
	} {
		warmSteps = g.warm
		c := DefaultConfig()
		c.Guest, c.Out, c.KeepGoing = "../bin/guests/musl-O1/"+g.name, NoFile, g.goesOn
		rounds(t, 1<<40, 1<<17)
		whole, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range g.lengths {
			rounds(t, n, n/2+30)
			var want string
			for _, c.Jobs = range []int{1, 2, 5} {
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				got := untimed(t, r)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("%s, %d workers, rounds from %d on:\n%s\none has\n%s", g.name, c.Jobs, n, got, want)
				}
				if r.Verdict != whole.Verdict || g.goesOn && len(r.Bugs) != len(whole.Bugs) {
					t.Errorf("%s, rounds from %d on: %s with %d bugs, without %s with %d", g.name, n, r.Verdict, len(r.Bugs), whole.Verdict, len(whole.Bugs))
				}
				if r.Verdict == result.Verified && len(r.Jobs) > 3 {
					several++
				}
			}
		}
	}
	if several == 0 {
		t.Error("no deepening had more than a few jobs: the test tests little")
	}
}
