package elffile

import "testing"

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
