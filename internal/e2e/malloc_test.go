package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/guests"
	"landgo/internal/trace"
)

// TestNativeMalloc: with the C library's own allocator, followed from outside, each guest has the
// verdict that it has with landgo's, and the same bug. (How many executions there are depends on
// the allocator, because its calls depend on each other.) A program for musl that doesn't
// allocate has no allocator in it.
func TestNativeMalloc(t *testing.T) {
	for i, g := range linux(t) {
		source, err := os.ReadFile(filepath.Join(top, "guests", g.Source))
		if err != nil {
			t.Fatal(err)
		}
		builds := []string{"glibc-O2"}
		if strings.Contains(string(source), "malloc(") {
			if builds = append(builds, "musl-O2"); !soaks {
				builds = builds[i/2%2:][:1]
			}
		} else if i%3 > 0 && !soaks {
			continue // a program that allocates nothing shows little
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			for _, build := range builds {
				r := explore(t, g, build, "--malloc", "native")
				if string(r.Verdict) != g.Verdict {
					t.Errorf("%s: %s (%s), want %s: %+v", g.Binary(build), r.Verdict, r.Reason, g.Verdict, r.Bug)
					continue
				}
				if g.Verdict == guests.Verified {
					continue
				}
				// The messages of glibc's string functions name the function.
				if f := g.Failures[0]; r.Bug.Kind != trace.BugKind(f.Kind) || r.Bug.Preemptions != f.Preemptions {
					t.Errorf("%s: %s, %d preemptions, want %+v", g.Binary(build), r.Bug.Message, r.Bug.Preemptions, f)
				}
			}
		})
	}
}
