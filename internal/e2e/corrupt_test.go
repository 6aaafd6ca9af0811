package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/corrupt"
	"landgo/internal/result"
)

// TestCorruptThroughLandgo: landgo as a program ends in time with a verdict or one
// line, whatever fields of an ELF file, of its debug information or of a bug file say.
func TestCorruptThroughLandgo(t *testing.T) {
	path := guest(t, "lost.c")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bug := filepath.Join(dir, "lost.landgo")
	run(t, "run", "--out", bug, path)
	file, err := os.ReadFile(bug)
	if err != nil {
		t.Fatal(err)
	}
	cases := corrupt.Count(t, 12, 1)
	for n := range cases {
		for _, c := range []struct {
			kind string
			data []byte
			args []string
		}{
			{"guest", corrupt.Variant(corrupt.ELF, good, n), []string{"run", "--quiet", "--time", "5s", "--step-budget", "1000000", "--out", "none"}},
			{"guest", corrupt.Variant(corrupt.ELF, good, n), []string{"inspect"}},
			{"bug file", corrupt.Variant(corrupt.JSON, file, n), []string{"replay"}},
			{"bug file", corrupt.Variant(corrupt.JSONValues, file, n), []string{"replay", "--json"}},
		} {
			in := filepath.Join(dir, "hostile")
			if err := os.WriteFile(in, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			e := run(t, append(c.args, in)...)
			name := fmt.Sprintf("%s %d, %s", c.kind, n, c.args[0])
			if e.status < 0 || e.status >= result.ExitFault || strings.Contains(e.stderr, "goroutine") || strings.ContainsAny(e.stdout+e.stderr, "\x1b\x07\r") {
				t.Errorf("%s: exit %d\n%.500s\n%.500s", name, e.status, e.stdout, e.stderr)
				if keep := os.Getenv("LANDGO_CORRUPT_DIR"); keep != "" {
					os.WriteFile(filepath.Join(keep, strings.ReplaceAll(name, " ", "-")), c.data, 0o644)
				}
			}
			if e.status == result.ExitUsage && (strings.Count(e.stderr, "\n") != 1 || e.stdout != "" && !isFailure(e.stdout)) {
				t.Errorf("%s: no single line: %q", name, e.stderr)
			}
			if e.peak > 1<<20 {
				t.Errorf("%s: took %d KiB", name, e.peak)
			}
		}
	}
}
