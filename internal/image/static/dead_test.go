package static

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/x86"
)

func TestDead(t *testing.T) {
	path := imagetest.Compile(t, "musl-gcc", "dead.S", "-static")
	file, err := elffile.Open(path)
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
		regs  x86.RegMask
		flags bool
	}{
		{"overwritten", x86.RAX, true},
		{"later", x86.RAX | x86.RDX, true},
		{"oneway", x86.RAX, true},
		{"partly", 0, false},
		{"called", 0, false},
		{"tail", 0, false},
		{"around", allRegs &^ x86.RCX, true},
		{"unknown", 0, false},
		{"word", 0, false}, // not code
	} {
		if at[tt.label] == 0 {
			t.Fatalf("no label %s", tt.label)
		}
		if regs, flags := Dead(file, at[tt.label]); regs != tt.regs || flags != tt.flags {
			t.Errorf("%s: %016b, flags %v; want %016b, %v", tt.label, regs, flags, tt.regs, tt.flags)
		}
	}
}
