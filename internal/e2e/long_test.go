package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/part"
)

// TestLongReports: a report of thousands of turns, or of a hundred threads, has at most
// 200 lines, and so has the account of its replay. --verbose has all of both.
func TestLongReports(t *testing.T) {
	part.Row(t)
	for source, folded := range map[string]string{"long_loop.c": "x 2,000", "long_threads.c": "other threads: T"} {
		path := guest(t, source)
		file := filepath.Join(t.TempDir(), "x.landgo")
		found := run(t, "run", "--quiet", "--out", file, path)
		replayed := run(t, "replay", file)
		if all := found.stdout + replayed.stdout; found.status != 1 || replayed.status != 1 || !strings.Contains(all, folded) {
			t.Errorf("%s: exits %d and %d, want 1 and %q in\n%s", source, found.status, replayed.status, folded, all)
		}
		for _, text := range []string{found.stdout, replayed.stdout} {
			if n := strings.Count(text, "\n"); n > 200 {
				t.Errorf("%s: %d lines", source, n)
			}
		}
		if all := run(t, "replay", "-v", file); strings.Count(all.stdout, "\n") < 400 || !strings.Contains(all.stdout, "image sha256") {
			t.Errorf("%s: --verbose has\n%s", source, all.stdout)
		}
	}
}
