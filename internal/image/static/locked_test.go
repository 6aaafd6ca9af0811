package static

import (
	"encoding/hex"
	"testing"
	"time"

	"landgo/internal/image/elffile"
)

// TestAnyLocked: the walk over all code ends, wherever functions begin and whatever
// they hold, and finds a locked instruction behind what doesn't decode.
func TestAnyLocked(t *testing.T) {
	const base = 0x1000
	for _, tc := range []struct {
		name, code string
		functions  []elffile.Symbol
		want       bool
	}{
		{"no code decodes", "cececece", []elffile.Symbol{{Name: "f", Addr: base, Size: 4}}, false},
		{"a function's first byte doesn't decode", "ce90c3", []elffile.Symbol{{Name: "f", Addr: base, Size: 3}}, false},
		{"nor that of the last one", "90c3ce", []elffile.Symbol{{Name: "f", Addr: base, Size: 2}, {Name: "g", Addr: base + 2, Size: 1}}, false},
		{"a byte within doesn't", "90cef00fb117", []elffile.Symbol{{Name: "f", Addr: base, Size: 6}}, true},
		{"a locked instruction behind it", "cef00fb117", []elffile.Symbol{{Name: "f", Addr: base, Size: 5}}, true},
		{"a symbol beyond the code", "ce", []elffile.Symbol{{Name: "f", Addr: base, Size: 1 << 40}}, false},
	} {
		code, err := hex.DecodeString(tc.code)
		if err != nil {
			t.Fatal(err)
		}
		f := &elffile.File{Code: []elffile.Range{{Lo: base, Hi: base + uint64(len(code))}}, Functions: tc.functions,
			Segments: []elffile.Segment{{Addr: base, MemSize: uint64(len(code)), Data: code}}}
		done := make(chan bool, 1)
		go func() { done <- AnyLocked(f) }()
		select {
		case got := <-done:
			if got != tc.want {
				t.Errorf("%s: %v", tc.name, got)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s: no end", tc.name)
		}
	}
}
