package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// poolGuest is a build of testdata/pool.c: for linux, or for pebbles on a thread library of
// guests/pebbles.
type poolGuest struct {
	machine string // of gcc, for pebbles; else empty
	options []string
}

// poolGuests are the builds that can be made here, that for linux first.
func poolGuests(t *testing.T) []poolGuest {
	t.Helper()
	profile, err := filepath.Abs("testdata/pool.yaml")
	if err != nil {
		t.Fatal(err)
	}
	with := []string{"run", "--json", "--pp", "mem", "--profile", profile}
	trusting := append(with[:len(with):len(with)], "--trust", "mutex")
	guests := []poolGuest{{"", with}, {"-m64", trusting}}
	if makes32(t) {
		guests = append(guests, poolGuest{"-m32", trusting})
	}
	return guests
}

// build builds the program with a mistake.
func (g poolGuest) build(t *testing.T, mistake string) string {
	t.Helper()
	mistake = "-DMISTAKE_" + mistake
	if g.machine == "" {
		return guest(t, "pool.c", mistake)
	}
	library := filepath.Join(top, "guests/pebbles/queue")
	sources, err := filepath.Glob(filepath.Join(library, "*.[cS]"))
	if err != nil || len(sources) == 0 {
		t.Fatal("no library", err)
	}
	return pebblesProgram(t, g.machine, "testdata/pool.c", append([]string{"-DPEBBLES", "-I" + library, mistake}, sources...)...)
}

// TestPool: the errors of the heap are found with an allocator of the program's
// own, whose code is tested like the rest. Each comes again in a replay, and a
// correct program raises no alarm.
func TestPool(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(top, "docs/profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/pool.yaml")
	if err != nil || !strings.Contains(string(page), "```yaml\n"+string(text)+"```\n") {
		t.Errorf("docs/profiles.md hasn't the profile that is tested here (%v)", err)
	}
	for n, c := range []struct {
		mistake, check string
		kind           trace.BugKind
		least          int
		message        string
	}{
		{"", "", "", 0, ""},
		{"LATE", "", trace.UseAfterFree, 2, "writes 1 byte at offset 23 of a block of 24 bytes that has been freed"},
		{"DOUBLE", "", trace.DoubleFree, 1, "pool_free of a block that is free already"},
		{"OVERFLOW", "", trace.HeapOverflow, 1, "writes 1 byte, 0 bytes after the end of a block of 24 bytes"},
		{"UNDERFLOW", "", trace.HeapOverflow, 1, "writes 1 byte, 1 byte before the start of a block of 24 bytes"},
		{"INTERIOR", "", trace.InvalidFree, 0, "pool_free of a pointer 8 bytes into a block of 24 bytes, not of its start"},
		{"WRONG", "", trace.InvalidFree, 0, "free of a block that another allocator gave out"},
		{"FOREIGN", "", trace.InvalidFree, 0, "pool_free of a block that another allocator gave out"},
		{"RESET", "", trace.UseAfterFree, 0, "writes 1 byte at offset 0 of a block of 24 bytes that has been freed"},
		{"NOLOCK", "", trace.DoubleAllocation, 1, "the allocator gives out 24 bytes that are in part a live block of 24 bytes"},
		{"", "leak", "", 0, ""},
		{"LOST", "leak", trace.Leak, 0, "a block of 8 bytes is lost: nothing points to it"},
		{"", "uninit", "", 0, ""},
		{"UNSET", "uninit", trace.UninitialisedRead, 0, "a branch depends on memory of the heap that was never written"},
	} {
		t.Run(c.mistake+" "+c.check, func(t *testing.T) {
			t.Parallel()
			for i, g := range poolGuests(t) {
				if i > 0 && n%4 != 2*(i-1) && !soaks {
					continue // the next mistake is looked for on it
				}
				file := filepath.Join(t.TempDir(), "pool.landgo")
				args := append(g.options, "--out", file)
				if c.check != "" {
					args = append(args, "--check", c.check)
				}
				r := run(t, append(args, g.build(t, c.mistake))...).decode(t)
				if c.kind == "" {
					if r.Verdict != result.Verified || r.Executions < 2 {
						t.Errorf("%s after %d executions (%s) %+v", r.Verdict, r.Executions, r.Reason, r.Bug)
					}
					continue
				}
				if r.Bug == nil || r.Bug.Kind != c.kind || !strings.HasSuffix(r.Bug.Message, c.message) || r.Bug.Preemptions != c.least {
					t.Errorf("%s (%s) %+v; want %s with %d preemptions: %s", r.Verdict, r.Reason, r.Bug, c.kind, c.least, c.message)
					continue
				}
				if b := r.Bug.Block; b == nil || b.Allocated.Thread == "" || (c.kind == trace.UseAfterFree || c.kind == trace.DoubleFree) && b.Freed == nil {
					t.Errorf("the block is reported as %+v", b)
				}
				if i > 0 {
					continue // the replay is TestLibraries' and TestKernels' there
				}
				if again := run(t, "replay", "--json", file).decode(t); !again.Replay.Same {
					t.Errorf("replay: %s", again.Reason)
				}
			}
		})
	}
}

// TestPoolSearches: every search has the same verdict as one without reduction,
// where two steps depend on each other by a block's life.
func TestPoolSearches(t *testing.T) {
	for mistake, kind := range map[string]trace.BugKind{"": "", "LATE": trace.UseAfterFree, "DOUBLE": trace.DoubleFree, "NOLOCK": trace.DoubleAllocation} {
		on := poolGuests(t)[0]
		path := on.build(t, mistake)
		for _, search := range []string{"none", "sleep", "dpor", "source", "stateful", "trust"} {
			r := run(t, append(on.options[:len(on.options):len(on.options)], "--search", search, path)...).decode(t)
			if kind == "" && r.Verdict != result.Verified || kind != "" && (r.Bug == nil || r.Bug.Kind != kind) {
				t.Errorf("%s with %s: %s (%s) %+v", search, mistake, r.Verdict, r.Reason, r.Bug)
			}
		}
	}
}
