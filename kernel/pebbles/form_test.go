package pebbles

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build32 builds a program for i386, with gcc and nothing else.
func build32(t *testing.T, flags string, files ...string) string {
	t.Helper()
	guest := filepath.Join(t.TempDir(), "guest32")
	args := append(strings.Fields("-m32 -std=gnu11 -g -ffreestanding -fcf-protection=none -mgeneral-regs-only -nostdlib -static -no-pie "+
		"-Wl,-Ttext-segment=0x1000000 -Wl,-e,_main "+flags), "-I"+filepath.Join(sources, "runtime"), "-o", guest)
	gcc := exec.Command("gcc", append(args, files...)...)
	if out, err := gcc.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", gcc, err, out)
	}
	return guest
}

// TestI386Form runs a program for the i386 form of the interface.
func TestI386Form(t *testing.T) {
	needs32(t)
	guest := build32(t, "-O0", filepath.Join("testdata", "form32.S"))
	for _, slice := range []uint64{1, 1 << 40} {
		w := openWorld(t, guest, Config{})
		if w.finish(slice); w.end != goodEnd {
			t.Errorf("in slices of %d: ends with %s", slice, w.end)
		}
	}
}
