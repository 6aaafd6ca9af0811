package elffile

import (
	"testing"

	"landgo/internal/image/imagetest"
)

// TestFilled: words that the program may change aren't among those whose contents are known.
func TestFilled(t *testing.T) {
	f, err := Open(imagetest.Compile(t, "gcc", "filled.c", "-fPIE -pie -O0"))
	if err != nil {
		t.Fatal(err)
	}
	list := f.Filled()
	for name, want := range map[string]bool{"variable": false, "constant": true} {
		s, ok := f.Symbol(name)
		if _, filled := list[s.Addr]; !ok || filled != want {
			t.Errorf("%s at %#x: %v", name, s.Addr, filled)
		}
	}
}
