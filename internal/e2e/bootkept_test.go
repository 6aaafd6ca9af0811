package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"landgo/internal/compile"
)

// TestBootsKept: without --snapshot a kernel's boot is kept in the user's cache, though the
// engine knows none of the user's folders, and the next run reads it.
func TestBootsKept(t *testing.T) {
	cache := t.TempDir()
	kept := ""
	for i := range 2 {
		cmd := command(t, "run", "--quiet", "--out", "none", "--pp", "lock", "--max-executions", "1", "--cmdline", "test=lock memtest=1", compile.Guest(t, "kernel/kernel"))
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
		e := finish(t, cmd)
		files, err := filepath.Glob(filepath.Join(cache, "landgo/boot/*.boot"))
		if err != nil || len(files) != 1 {
			t.Fatalf("run %d: %v, %v\n%s%s", i, files, err, e.stdout, e.stderr)
		}
		if i == 1 && files[0] != kept {
			t.Errorf("two boots: %s, %s", kept, files[0])
		}
		kept = files[0]
	}
}
