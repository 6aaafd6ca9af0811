package explore

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// On a kernel's rung the functions that lock run as one piece. A bug above them is
// confirmed in the kernel as it is; a mistake inside one of them isn't the rung's.
func TestKernelRung(t *testing.T) {
	for _, c := range []struct {
		guest, test string
		kind        string // of the confirmed bug; "": there is none
	}{
		{"kernel-buffer_if", "steal", "assertion"},
		{"kernel-wakeup_lost", "semaphore", ""},
		{"kernel", "semaphore", ""},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.Cmdline = filepath.Join("../../bin/guests/kernel", c.guest), config.NoFile, "test="+c.test
			w := limits.Begin(context.Background(), &cfg, nil)
			defer w.Close()
			s, err := session.Open(cfg, w)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			d := newDeepening(&hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}})
			d.climb()
			if !d.rung.open() || !slices.Contains(d.rung.pieces, "semaphore_down") {
				t.Fatalf("the rung's pieces are %v", d.rung.pieces)
			}
			for n := 0; d.rung.open() && n < 200; n++ {
				d.rung.run(d.pace(boundedSlice))
			}
			d.rung.end()
			d.takeRung()
			d.endRung()
			if c.kind == "" {
				if len(d.found) != 0 || d.result.Rung == nil || d.result.Rung.Bug != nil {
					t.Fatalf("%v was found, and the rung tells %v", d.found, d.result.Rung)
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
