package elffile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestVersions: a library's versions are symbols of the address 0 for the linker, and name
// nothing of the guest's. A symbol at a number of its own stays.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	source, script, out := filepath.Join(dir, "x.c"), filepath.Join(dir, "x.map"), filepath.Join(dir, "x.so")
	for path, text := range map[string]string{
		source: "int f(void) { return 1; }\n__asm__(\".globl limit\\nlimit = 0x1234\\n\");\n",
		script: "V_1.0 { global: f; limit; };\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := exec.Command("gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,--version-script="+script, "-o", out, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	f, err := parse(data, role{library: true, base: 0x10000000})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"f": true, "limit": true, "V_1.0": false} {
		if s, ok := f.Symbol(name); ok != want {
			t.Errorf("%s: %+v, %t", name, s, ok)
		}
	}
}
