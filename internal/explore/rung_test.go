package explore

import (
	"context"
	"path/filepath"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// A bug above a trusted mutex is confirmed in the library as it is: its schedule is
// followed by a guest that trusts nothing, to the same bug. A mistake of the mutex itself
// isn't one of the rung's, and a library whose mutex can't be trusted makes none.
func TestRung(t *testing.T) {
	for _, c := range []struct {
		guest string
		kind  string // of the confirmed bug; "": there is none
		aside bool   // the rung steps aside
	}{
		{"queue-cond_unlocks_first-cond", "deadlock", false},
		{"spin-broadcast_one-broadcast", "deadlock", false}, // its threads begin in a lock
		{"queue-park_once-signal", "assertion", false},
		{"spin-mutex_plain-mutex", "", true},
		{"queue-cond", "", false},
		{"spin-cond_lost_wakeup-cond", "", true}, // the end of its threads opens a mutex by hand
		{"spin-sem_if-sem", "", true},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Guest, cfg.Out = filepath.Join("../../bin/guests/pebbles", c.guest), config.NoFile
			w := limits.Begin(context.Background(), &cfg, nil)
			defer w.Close()
			s, err := session.Open(cfg, w)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			d := newDeepening(&hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}})
			d.climb()
			if !d.rung.open() {
				t.Fatal("there is no rung")
			}
			for steps := 0; d.rung.open() && steps < 50; steps++ {
				d.rung.run(boundedSlice)
			}
			d.rung.end()
			d.takeRung()
			d.endRung()
			if aside := d.rung.err != nil; aside != c.aside || aside && d.result.Rung != nil {
				t.Fatalf("the rung ends with %v, and tells %v", d.rung.err, d.result.Rung)
			}
			if c.kind == "" {
				if len(d.found) != 0 {
					t.Fatalf("%v was found", d.found[0].key)
				}
				return
			}
			if len(d.found) != 1 {
				t.Fatalf("%d bugs were confirmed, of %d (%v)", len(d.found), len(d.rung.found), d.rung.err)
			}
			f := d.found[0]
			_, failure, err := s.FollowAll(f.schedule)
			if err != nil || failure == nil || string(failure.Kind) != c.kind || d.key(failure) != f.key {
				t.Errorf("the schedule ends with %v, %v; want %s", failure, err, f.key)
			}
		})
	}
}
