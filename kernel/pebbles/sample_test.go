package pebbles

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSample builds the sample tree as a student would, in a folder of its own,
// with its Makefile of three lines, and runs it.
func TestSample(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(sources, "sample"))); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 3 {
		t.Errorf("the sample's Makefile has %d lines:\n%s", n, text)
	}
	runtime, err := filepath.Abs(sources)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("make", "-s", "-C", dir, "PEBBLES="+runtime).CombinedOutput(); err != nil {
		t.Fatalf("make: %v\n%s", err, out)
	}
	for _, slice := range []uint64{1, 10, 1 << 40} {
		w := openWorld(t, filepath.Join(dir, "hello"), Config{})
		w.finish(slice)
		if got := string(w.k.Output(1)); w.end != goodEnd || got != "counted to 2\n" {
			t.Errorf("in slices of %d: ends with %s; printed:\n%s", slice, w.end, got)
		}
	}
}
