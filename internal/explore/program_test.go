package explore

import (
	"context"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// onProgram is the default configuration for a program.
func onProgram(guest string) config.Config {
	c := config.Default()
	c.Guest, c.Out = guest, config.NoFile
	return c
}

// endsAs has searches of a program end as wanted: with a verdict, or with a bug of a
// kind, which has to come again in a replay.
func endsAs(t *testing.T, cfg config.Config, want string, searches ...string) {
	t.Helper()
	for _, search := range searches {
		cfg.Search = search
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		got := ended(r)
		if r.Verdict == result.Buggy {
			again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
			if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
				t.Errorf("search %s: the replay ended so: %+v %v", search, again, err)
			}
		}
		if got != want {
			t.Errorf("search %s: %s (%s), want %s: %+v", search, got, r.Reason, want, r.Bug)
		}
	}
}

// ended is the verdict, or the kind of the bug.
func ended(r *result.Result) string {
	if r.Verdict == result.Buggy {
		return string(r.Bug.Kind)
	}
	return string(r.Verdict)
}

// verdictOr is the kind of a bug, or verified if there is none.
func verdictOr(kind trace.BugKind) string {
	if kind == "" {
		return string(result.Verified)
	}
	return string(kind)
}
