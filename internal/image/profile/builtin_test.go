package profile

import (
	"slices"
	"testing"
)

// TestBuiltInsParse: landgo's own profiles are such, each says which kernels it is for,
// and they have different names; whether one fits shows on such a kernel only.
func TestBuiltInsParse(t *testing.T) {
	names := map[string]bool{}
	for _, b := range builtIns() {
		p := b.read()
		if !slices.ContainsFunc(p.For.Symbols, func(s Named) bool { return s.Name == b.sign }) {
			t.Errorf("%s isn't for guests with %q", p.File, b.sign)
		}
		if p.Kernel == nil || len(p.For.Symbols) == 0 || p.For.Machine.Name == "" || p.Name == "" || names[p.Name] {
			t.Errorf("%s: %+v", p.File, p)
		}
		names[p.Name] = true
	}
	if files, err := builtInFiles.ReadDir(builtInDir); err != nil || len(names) == 0 || len(names) != len(files) {
		t.Errorf("%d profiles of %d files, %v", len(names), len(files), err)
	}
}
