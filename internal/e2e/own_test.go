package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestOwnFunctions: what the program defines in place of its C library's
// functions is checked, not trusted, with line information and without.
func TestOwnFunctions(t *testing.T) {
	for _, source := range []string{"own_malloc.c", "own_mutex.c"} {
		for _, compiler := range []string{"gcc", "musl-gcc"} {
			for _, debug := range []string{"-g", "-g0"} {
				for _, fix := range []string{"-UFIXED", "-DFIXED"} {
					name := compiler + " " + debug + " " + fix + " " + source
					out := filepath.Join(t.TempDir(), "guest")
					args := []string{debug, fix, "-O1", "-static", "-pthread", "-o", out, filepath.Join("testdata", source)}
					if text, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
						t.Fatalf("%s: %v\n%s", name, err, text)
					}
					r := run(t, "run", "--json", "--quiet", "--out", "none", out).decode(t)
					want := result.Buggy
					if fix == "-DFIXED" {
						want = result.Verified
					}
					if r.Verdict != want || r.Executions < 2 || r.Bug != nil && r.Bug.Kind != trace.Assertion {
						t.Errorf("%s: %s after %d executions (%s) %+v", name, r.Verdict, r.Executions, r.Reason, r.Bug)
					}
				}
			}
		}
	}
}
