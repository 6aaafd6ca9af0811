package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestLeastOfAnyBug: where one bug is asked for, the story told has the fewest
// preemptions of any bug, also where the search met another one first.
func TestLeastOfAnyBug(t *testing.T) {
	path := compile.Guest(t, "pebbles/queue-exit_recycles_early-reuse")
	first := run(t, "run", "--json", "--out", "none", "--search", "none", "--bound", "preempt=1", path).decode(t)
	if first.Bug == nil || first.Bug.Preemptions != 1 || first.Bug.Minimal != result.Proven {
		t.Fatalf("by bounds: %s (%s) %+v", first.Verdict, first.Reason, first.Bug)
	}
	r := run(t, "run", "--json", "--out", "none", path).decode(t)
	if r.Bug == nil || r.Bug.Preemptions != 1 || r.Bug.Minimal != result.Proven || r.Bug.Kind != first.Bug.Kind {
		t.Errorf("%s (%s) %+v, want the %s with 1 preemption", r.Verdict, r.Reason, r.Bug, first.Bug.Kind)
	}
}

// TestSharedWhileMinimising: what the search for a shorter story learns of sharing makes steps
// finer. The bug found before is reported in those, and replays.
func TestSharedWhileMinimising(t *testing.T) {
	path := guest(t, "late.c")
	for _, flags := range [][]string{nil, {"--keep-going"}, {"--self-check"}} {
		file := filepath.Join(t.TempDir(), "late.landgo")
		r := run(t, append([]string{"run", "--json", "--out", file, path}, flags...)...).decode(t)
		if r.Bug == nil || r.Bug.Preemptions != 1 || r.Bug.Minimal != result.Proven || len(r.Bugs) != 1 {
			t.Errorf("%v: %s (%s) %+v", flags, r.Verdict, r.Reason, r.Bug)
			continue
		}
		if !tellsOf(r.Bug, "far.value") {
			t.Errorf("%v: the story doesn't tell of what turned out shared: %+v", flags, r.Bug.Steps)
		}
		again := run(t, "replay", "--json", file).decode(t)
		if again.Replay == nil || !again.Replay.Same || again.Bug.Preemptions != 1 {
			t.Errorf("%v: replayed: %+v", flags, again.Replay)
		}
	}
}

// tellsOf reports whether a switch's accesses name a variable.
func tellsOf(b *result.Bug, variable string) bool {
	for _, s := range b.Steps {
		for i := range s.Accesses {
			if strings.HasPrefix(s.Accesses[i].Symbol, variable) {
				return true
			}
		}
	}
	return false
}

// TestReplayKnowsTheLeast: whether fewer preemptions would do is known to the
// run that looked, and its bug file keeps it. A schedule alone doesn't tell.
func TestReplayKnowsTheLeast(t *testing.T) {
	path, file := guest(t, "lost.c"), filepath.Join(t.TempDir(), "lost.landgo")
	found := run(t, "run", "--json", "--out", file, path).decode(t)
	if found.Bug == nil || found.Bug.Minimal != result.Proven {
		t.Fatalf("%s (%s) %+v", found.Verdict, found.Reason, found.Bug)
	}
	if r := run(t, "replay", "--json", file).decode(t); r.Bug == nil || r.Bug.Minimal != result.Proven {
		t.Errorf("of the file: %+v", r.Bug)
	}
	if r := run(t, "replay", "--json", "--schedule", found.Bug.Schedule, path).decode(t); r.Bug == nil || r.Bug.Minimal != result.BestFound {
		t.Errorf("of the schedule: %+v", r.Bug)
	}
}
