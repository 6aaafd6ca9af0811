package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestReplay: a bug file, and a schedule on the command line, give the same bug
// again; another image, another configuration and a changed file are refused.
func TestReplay(t *testing.T) {
	bug, other := guest(t, "lost.c"), guest(t, "lost.c", "-DN=3")
	file := filepath.Join(t.TempDir(), "bug.landgo")
	found := run(t, "run", "--json", "--out", file, bug).decode(t)
	if found.Bug == nil {
		t.Fatalf("no bug: %s (%s)", found.Verdict, found.Reason)
	}
	for _, args := range [][]string{
		{"replay", "--json", file},
		{"replay", "--json", "--schedule", found.Bug.Schedule, bug},
	} {
		e := run(t, args...)
		r := e.decode(t)
		if e.status != result.ExitBug || r.Replay == nil || !r.Replay.Same || r.Bug == nil ||
			r.Bug.Kind != found.Bug.Kind || r.Bug.Message != found.Bug.Message || r.Bug.Preemptions != found.Bug.Preemptions {
			t.Errorf("%s: exit %d, %+v", args[:2], e.status, r.Replay)
		}
		if len(r.Account) == 0 {
			t.Errorf("%s: no step-by-step account", args[:2])
		}
	}
	run(t, "replay", "--schedule", found.Bug.Schedule, other).complains(t, result.OtherConfig)
	run(t, "replay", "--schedule", found.Bug.Schedule, bug, "--", "an argument").complains(t, result.OtherConfig)

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), "changed.landgo")
	swap := func(from, to string) string {
		s := strings.Replace(string(text), from, to, 1)
		if s == string(text) {
			t.Fatalf("the bug file has no %q:\n%s", from, text)
		}
		return s
	}
	for _, c := range []struct {
		text string
		kind result.ErrorKind
	}{
		{swap(bug, other), result.OtherImage},
		{swap(`"landgo-bug/1"`, `"landgo-bug/99"`), result.OtherVersion},
		{swap(`"sha256"`, `"md5"`), result.BadBugFile},
		{string(text[:len(text)/2]), result.BadBugFile},
	} {
		if err := os.WriteFile(changed, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		run(t, "replay", changed).complains(t, c.kind)
	}
}

// TestNoThreads: a bug that needs no second thread is said to be none of
// concurrency.
func TestNoThreads(t *testing.T) {
	path := guest(t, "nothreads.c")
	r := run(t, "run", "--json", path).decode(t)
	if r.Bug == nil || r.Bug.Kind != trace.Assertion || !r.Bug.BeforeThreads {
		t.Fatalf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
	}
	if text := run(t, "run", path); !strings.Contains(text.stdout, "it isn't a concurrency bug") {
		t.Errorf("the text doesn't say so:\n%s", text.stdout)
	}
	// Its arguments reach the guest.
	if r := run(t, "run", "--json", path, "--", "1", "2", "3", "4", "5").decode(t); r.Verdict != result.Verified {
		t.Errorf("with five arguments: %s (%s)", r.Verdict, r.Reason)
	}
}
