package image

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/imagetest"
)

func TestDead(t *testing.T) {
	path := imagetest.Compile(t, "musl-gcc", "dead.S", "-static")
	im, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]uint64{}
	for _, s := range symbols {
		at[s.Name] = s.Value
	}
	for _, tt := range []struct {
		label string
		regs  RegMask
		flags bool
	}{
		{"overwritten", RAX, true},
		{"later", RAX | RDX, true},
		{"oneway", RAX, true},
		{"partly", 0, false},
		{"called", 0, false},
		{"tail", 0, false},
		{"around", allRegs &^ RCX, true},
		{"unknown", 0, false},
		{"word", 0, false}, // not code
	} {
		if at[tt.label] == 0 {
			t.Fatalf("no label %s", tt.label)
		}
		if regs, flags := im.Dead(at[tt.label]); regs != tt.regs || flags != tt.flags {
			t.Errorf("%s: %016b, flags %v; want %016b, %v", tt.label, regs, flags, tt.regs, tt.flags)
		}
	}
}
