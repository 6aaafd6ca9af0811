package pebbles

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// TestI386Form runs a program for the i386 form of the interface.
func TestI386Form(t *testing.T) {
	guest := filepath.Join(t.TempDir(), "form32")
	gcc := exec.Command("gcc", "-m32", "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext-segment=0x1000000",
		"-Wl,-e,_main", "-o", guest, filepath.Join("testdata", "form32.S"))
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", gcc, err, out)
	}
	for _, slice := range []uint64{1, 1 << 40} {
		w := openWorld(t, guest, Config{})
		if w.finish(slice); w.end != goodEnd {
			t.Errorf("in slices of %d: ends with %s", slice, w.end)
		}
	}
}
