package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestUnexamined: what the points leave out is counted, whichever races are
// listed; what synchronisation orders, or a point before both accesses lets
// come in any order, is not.
func TestUnexamined(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guest, pp string
		want      uint64 // counted by hand, from the source
		op        string // of the second access of the first pair
	}{
		// Two threads load and store: the load and the store, the store and the
		// store. The load has a point before it, the store hasn't.
		{"lost_update", "yield", 2, "writes"},
		{"lost_update-fixed", "lock,unlock", 0, ""},
		{"lost_update", "mem", 0, ""},
		// One locked instruction is each thread's only access.
		{"increment-fixed", "yield", 0, ""},
		// Each slot is written before the barrier and read behind it.
		{"barrier_phase-fixed", "yield", 0, ""},
		// The new block is filled and read, the old one read and freed.
		{"use_after_free-fixed", "lock,unlock", 2, "frees"},
	} {
		for _, mode := range config.RaceModes {
			cfg := config.Default()
			cfg.Guest, cfg.Race, cfg.Out = compile.Guest(t, "musl-O2/"+c.guest), mode, config.NoFile
			if err := config.OptionNamed("pp").Apply(&cfg, c.pp); err != nil {
				t.Fatal(err)
			}
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Unexamined != c.want || len(r.UnexaminedFirst) != int(min(c.want, 3)) || (r.Finer != "") != (c.want > 0) {
				t.Errorf("%s at %s, --race %s: %d pairs, want %d: %+v", c.guest, c.pp, mode, r.Unexamined, c.want, r.UnexaminedFirst)
			} else if c.want > 0 && r.UnexaminedFirst[0].Second.Op != c.op {
				t.Errorf("%s at %s, --race %s: %+v", c.guest, c.pp, mode, r.UnexaminedFirst[0])
			}
		}
	}
}

// TestUnexaminedSyncOnly: a deepening without data-race points leaves out what
// one space with its points does.
func TestUnexaminedSyncOnly(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{config.RaceLimited, config.RaceHB} {
		cfg := config.Default()
		cfg.Guest, cfg.Race, cfg.Out, cfg.SyncOnly = compile.Guest(t, "musl-O2/lost_update"), mode, config.NoFile, true
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Verified || r.Granularity != "yield" || r.Unexamined != 2 || len(r.Jobs) != 1 {
			t.Errorf("--race %s: %s at %s, %d pairs unexamined, %d sets: want verified at yield, 2 pairs, one set", mode, r.Verdict, r.Granularity, r.Unexamined, len(r.Jobs))
		}
	}
}
