package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// times matches what may differ between two identical runs: durations and
// rates.
var times = regexp.MustCompile(`"[a-z_]*seconds[a-z_]*": *[0-9.e+-]+|[0-9][0-9.,]* ?(ns|µs|ms|s|min|h)\b|[0-9][0-9.,]*/s`)

func withoutTimes(s string) string { return times.ReplaceAllString(s, "TIME") }

// TestSame: identical runs give identical output, byte for byte, but for times.
func TestSame(t *testing.T) {
	bug, good := guest(t, "lost.c", "-DN=3"), guest(t, "lost.c", "-DLOCK", "-DN=3")
	for _, args := range [][]string{
		{"run", "--json", bug},
		{"run", bug},
		{"run", "--json", "--keep-going", bug},
		{"run", "--json", good},
		{"run", good},
		{"run", "--search", "none", "--pp", "yield,lock", "--json", good},
		{"run", "--search", "trust", "--pp", "mem", "--json", filepath.Join(top, "bin/guests/musl-O1/fib_bench-N5-BAD")}, // its bug is some laps away
		{"inspect", bug},
	} {
		t.Run(strings.Join(args[:len(args)-1], " "), func(t *testing.T) {
			var first ending
			for i, procs := range []string{"1", "2", "4"} {
				cmd := command(t, args...)
				cmd.Env = append(os.Environ(), "GOMAXPROCS="+procs)
				e := finish(t, cmd)
				if i == 0 {
					first = e
					continue
				}
				if e.status != first.status || withoutTimes(e.stdout) != withoutTimes(first.stdout) {
					t.Errorf("run %d differs: exit %d and %d\n%.3000s\n---\n%.3000s", i+1, first.status, e.status, first.stdout, e.stdout)
				}
			}
			if first.stdout == "" {
				t.Errorf("no output at all (exit %d): %s", first.status, first.stderr)
			}
		})
	}
}

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
