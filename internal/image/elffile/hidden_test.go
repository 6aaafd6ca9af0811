package elffile

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestHiddenLocal: a hidden symbol that a linker has made local (lld does, where rustc
// lists what a program gives out) is the program's, and not some source's own.
func TestHiddenLocal(t *testing.T) {
	dir := t.TempDir()
	source, out := filepath.Join(dir, "x.c"), filepath.Join(dir, "x")
	text := `__attribute__((visibility("hidden"))) void *malloc(unsigned long n) { return 0; }
static __attribute__((noinline, used)) int own(void) { return 1; }
void _start(void) { malloc(own()); for (;;); }`
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command("gcc", "-static", "-nostdlib", "-fno-builtin", "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range syms { // the table begins with a symbol that Symbols leaves out
		if s.Name == "malloc" {
			info := f.Section(".symtab").Offset + uint64(i+1)*24 + 4
			data[info] = byte(elf.STB_LOCAL)<<4 | data[info]&15
		}
	}
	image, err := parse(data, role{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"malloc": true, "own": false} {
		if s, ok := image.Symbol(name); !ok || s.Global != want {
			t.Errorf("%s: %+v, %v; want global %v", name, s, ok, want)
		}
	}
}
