package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// TestRacesListed: the racing guest's races are those on its variable; its cured twin has none; and neither verdict nor counts depend
// on the detector.
func TestRacesListed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guest, mode, pp string
		want            bool
	}{
		{"musl-O2/lost_update", config.RaceLimited, "mem", true},
		{"glibc-O1/lost_update", config.RaceHB, "mem", true},
		{"glibc-O1/lost_update", config.RaceLimited, "yield", true}, // seen without a preemption
		{"musl-O2/lost_update", config.RaceOff, "mem", false},
		{"musl-O2/lost_update-fixed", config.RaceLimited, "mem", false},
		{"glibc-O2/lost_update-fixed", config.RaceHB, "mem", false},
		{"musl-O2/nwriters-N4", config.RaceLimited, "mem", false}, // atomic
		{"musl-O2/use_after_free-fixed", config.RaceLimited, "mem", false},
		{"musl-O2/use_after_free-fixed", config.RaceHB, "mem", false},
	} {
		cfg := config.Default()
		cfg.Guest, cfg.Race, cfg.Out = compile.Guest(t, c.guest), c.mode, config.NoFile
		if err := config.OptionNamed("pp").Apply(&cfg, c.pp); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		both := 0
		for _, p := range r.Races {
			if p.BothOrders {
				both++
			}
		}
		if got := both > 0; got != c.want && c.pp == "mem" || c.pp != "mem" && len(r.Races) == 0 {
			t.Errorf("%s, %s, %s: %d races: %+v", c.guest, c.mode, c.pp, len(r.Races), r.Races)
		}
		for _, p := range r.Races {
			if p.BothOrders && (p.Variable != "x" || p.First.Stack[0].Function != "add" || p.Second.Stack[0].Function != "add" || p.First.Size != 4) {
				t.Errorf("%s: %+v", c.guest, p)
			}
		}
		cfg.Race = config.RaceOff
		off, err := Run(context.Background(), cfg, nil)
		if err != nil || off.Verdict != r.Verdict || off.Executions != r.Executions || off.Transitions != r.Transitions {
			t.Errorf("%s: %s and %d executions, without the detector %s and %d (%v)", c.guest, r.Verdict, r.Executions, off.Verdict, off.Executions, err)
		}
	}
}
