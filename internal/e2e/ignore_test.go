package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestIgnore: the bug behind a known one is found, its file replays without flags, and a
// verdict says what was ignored.
func TestIgnore(t *testing.T) {
	path := guest(t, "behind.c")
	file := filepath.Join(t.TempDir(), "behind.landgo")
	first := run(t, "run", "--out", file, path)
	if first.status != 1 || !strings.HasPrefix(first.stdout, "bug under sequential consistency: use-after-free: ") {
		t.Errorf("exit %d:\n%s", first.status, first.stdout)
	}
	second := run(t, "run", "--ignore", "heap@pop", "--out", file, path)
	if second.status != 1 || !strings.HasPrefix(second.stdout, "bug under sequential consistency: assertion: ") {
		t.Errorf("exit %d:\n%s", second.status, second.stdout)
	}
	if again := run(t, "replay", file); again.status != 1 || !strings.Contains(again.stdout, "The same bug came back.") {
		t.Errorf("exit %d:\n%s", again.status, again.stdout)
	}
	none := run(t, "run", "--ignore", "heap@pop", "--ignore", "assertion", path)
	if none.status != 0 || !strings.HasPrefix(none.stdout, "verified at mem under x86-TSO, but known bugs were ignored: assertion (") || !strings.Contains(none.stdout, "has another bug") {
		t.Errorf("exit %d:\n%s", none.status, none.stdout)
	}
	if wrong := run(t, "run", "--ignore", "haep", path); wrong.status != 2 || !strings.Contains(wrong.stderr, "did you mean heap?") {
		t.Errorf("exit %d: %s", wrong.status, wrong.stderr)
	}
}
