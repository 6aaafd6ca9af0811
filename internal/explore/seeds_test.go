package explore

import (
	"context"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestSeedsOfKernels: a kernel's seeds are those of Blum and Gibson (OOPSLA 2016, §3.2),
// the set with all of them last, and --sync-only answers for that set.
func TestSeedsOfKernels(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Guest, cfg.Out, cfg.Cmdline, cfg.SyncOnly = compile.Guest(t, "kernel/kernel"), config.NoFile, "test=join", true
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"yield", "yield,lock", "yield,unlock", "yield,cli", "yield,sti", "yield,lock,unlock,cli,sti"}
	var got []string
	for _, j := range r.Jobs {
		got = append(got, j.PP)
	}
	if !slices.Equal(got, want) || r.Verdict != result.Verified || r.Granularity != want[5] {
		t.Errorf("%s at %s, after %q", r.Verdict, r.Granularity, got)
	}
}

// TestNoneIsRunning: when a run has ended, no set is listed as running.
func TestNoneIsRunning(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Guest, cfg.Out, cfg.MaxExecutions = compile.Guest(t, "musl-O2/fib_bench-N5"), config.NoFile, 100
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, j := range r.Jobs {
		switch j.State {
		case "running":
			t.Errorf("%s is running", j.PP)
		case "suspended":
			left++
		}
	}
	if r.Verdict != result.Budget || left == 0 {
		t.Errorf("%s, and %d sets were left", r.Verdict, left)
	}
}

// TestCandidatesOnly: as Quicksand, without a set that has every access, deepening finds
// the bug of Figure 1 by candidates, and calls Figure 3(a) verified at all of them.
func TestCandidatesOnly(t *testing.T) {
	t.Parallel()
	for guest, want := range map[string]result.Verdict{"quicksand1": result.Buggy, "quicksand3a": result.Verified} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.CandidatesOnly = compile.Guest(t, "musl-O2/"+guest), config.NoFile, true
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != want || r.Unexamined != 0 {
			t.Errorf("%s: %s at %s, %d unexamined", guest, r.Verdict, r.Granularity, r.Unexamined)
		}
		for _, j := range r.Jobs {
			if j.PP == "mem" || j.Bound != "" || j.Search != "" {
				t.Errorf("%s: a job %+v", guest, j)
			}
		}
	}
}
