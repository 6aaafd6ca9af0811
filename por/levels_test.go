package por

import (
	"testing"

	"pgregory.net/rapid"
)

// TestLevels: a search by ascending bound that is stopped anywhere has reached all that
// an execution within the values reaches that it says are explored. The judge runs
// every execution.
func TestLevels(t *testing.T) {
	defer setChecks(1300)() // few of them are stopped after a first value
	claims := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := programs(false, false).Draw(rt, "program")
		judge := judged(rt, p, 300)
		if judge == nil {
			return // too large
		}
		for _, c := range []struct {
			search string
			bounds Bounds
		}{
			{"bpor", Bounds{{Preempt, 64}}}, {"bpor", Bounds{{Preempt, 64}, {Fair, 1}}}, {"source-bpor", Bounds{{Preempt, 64}}},
			{"bounded", Bounds{{Preempt, 64}}}, {"bounded", Bounds{{Delay, 64}}}, {"bounded", Bounds{{Fair, 64}}},
		} {
			polls := rapid.IntRange(1, 200).Draw(rt, "polls")
			opts := Options{OneEvent: true, Bounds: c.bounds, Iterate: true, From: rapid.IntRange(0, 2).Draw(rt, "from"), look: 1}
			opts.Stop = func() bool { polls--; return polls < 0 }
			s, err := explore(c.search, p, opts)
			if err != nil {
				rt.Fatal(err)
			}
			if s.stats.Complete {
				continue
			}
			if s.stats.Levels > 0 {
				claims++
			}
			within := append(Bounds{}, c.bounds...)
			within[0].Limit = int(s.stats.Levels) - 1
			for o, least := range judge.outcomes {
				if _, found := s.outcomes[o]; !found && least.of(within) <= within[0].Limit {
					rt.Fatalf("%s, %v: says that %d values are explored, and missed %+v at %d\n%v", c.search, c.bounds, s.stats.Levels, o, least.of(within), p)
				}
			}
		}
	})
	if claims < 50 && !testing.Short() {
		t.Errorf("%d claims: too few to say anything", claims)
	}
}

// TestLevelsGoOn: a search that goes on from a snapshot claims what it did.
func TestLevelsGoOn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := programs(false, false).Draw(rt, "program")
		for _, search := range []string{"bpor", "bounded"} {
			var state []byte
			polls, levels := rapid.IntRange(1, 100).Draw(rt, "polls"), uint64(0)
			opts := Options{OneEvent: true, Bounds: Bounds{{Preempt, 8}}, Iterate: true, look: 1}
			stop := false
			opts.Stop = func() bool { return stop }
			opts.SaveNow = func() bool { polls--; return polls == 0 }
			opts.Save = func(s []byte) error { state, stop = s, true; return nil }
			first, err := explore(search, p, opts)
			if err != nil {
				rt.Fatal(err)
			}
			if levels = first.stats.Levels; state == nil {
				continue
			}
			opts.Resume, opts.Stop, opts.SaveNow = state, func() bool { return true }, nil
			again, err := explore(search, p, opts)
			if err != nil {
				rt.Fatal(err)
			}
			if again.stats.Levels != levels {
				rt.Fatalf("%s: %d values, then %d", search, levels, again.stats.Levels)
			}
		}
	})
}
