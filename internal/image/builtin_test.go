package image

import "testing"

// TestBuiltInsParse: landgo's own profiles are such, each says which kernels it is for,
// and they have different names; whether one fits shows on such a kernel only.
func TestBuiltInsParse(t *testing.T) {
	names := map[string]bool{}
	for _, p := range builtIns() {
		if p.Kernel == nil || len(p.For.Symbols) == 0 || p.For.Machine.Name == "" || p.Name == "" || names[p.Name] {
			t.Errorf("%s: %+v", p.File, p)
		}
		names[p.Name] = true
	}
	if files, err := builtInFiles.ReadDir(builtInDir); err != nil || len(names) == 0 || len(names) != len(files) {
		t.Errorf("%d profiles of %d files, %v", len(names), len(files), err)
	}
}

// TestLTR: ltr is found with its operand in a register or in memory, and what only looks
// alike isn't.
func TestLTR(t *testing.T) {
	for code, want := range map[string]bool{
		"\x90\x0f\x00\xd8\x90": true,  // ltr %ax
		"\x0f\x00\x18":         true,  // ltr (%eax)
		"\x0f\x00\xd0":         false, // lldt %ax
		"\x0f\x01\x18\x0f\x00": false, // lidt (%eax)
		"\x00\xd8":             false,
	} {
		if got := has0f([]byte(code), 0x00, 3, true); got != want {
			t.Errorf("% x: %v", code, got)
		}
	}
}
