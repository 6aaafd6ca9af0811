package debuginfo

import (
	"os"
	"path/filepath"
	"testing"

	"landgo/internal/image/imagetest"
)

// TestInRegisters: a function that gets its argument in a register, as static i386 ones may, is
// distinguished from others.
func TestInRegisters(t *testing.T) {
	dir := t.TempDir()
	source, program := filepath.Join(dir, "k.c"), filepath.Join(dir, "k")
	os.WriteFile(source, []byte(`
volatile int seen;
static __attribute__((noipa, regparm(1))) void hidden(int p) { seen = p; seen += p; }
static __attribute__((noipa)) void kept(int p) { seen = p; seen += p; }
static __attribute__((noipa, regparm(1))) void moved(int p) { kept(1); seen += p; }
__attribute__((noinline)) void global(int p) { seen = p; seen += p; }
void _start(void) { hidden(seen); kept(seen); global(seen); moved(3); for (;;); }
`), 0o666)
	for _, machine := range []string{"-m32", "-m64"} {
		if said, err := imagetest.Command("gcc", machine, "-g", "-O2", "-static", "-nostdlib", "-ffreestanding", "-no-pie", "-fno-pic", "-o", program, source).CombinedOutput(); err != nil {
			if machine == "-m32" {
				continue // setup.sh says so
			}
			t.Fatalf("%v\n%s", err, said)
		}
		info, err := read(program)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"hidden", "moved", "kept", "global"} {
			if got, want := info.InRegisters(name) != "", (name == "hidden" || name == "moved") && machine == "-m32"; got != want {
				t.Errorf("%s: %s in registers: %v", machine, name, got)
			}
		}
	}
}
