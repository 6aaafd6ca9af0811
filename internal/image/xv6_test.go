package image

import "testing"

// TestBuiltInParses: the profile of xv6 is one; whether it fits shows on an xv6 only.
func TestBuiltInParses(t *testing.T) {
	p, err := ParseProfile(BuiltInName, xv6Profile)
	if err != nil || p.Kernel == nil || len(p.Kernel.Input) != 1 || p.Kernel.Memory == 0 {
		t.Errorf("%+v, %v", p, err)
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
		if got := hasLTR([]byte(code)); got != want {
			t.Errorf("% x: %v", code, got)
		}
	}
}
