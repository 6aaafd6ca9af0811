package static

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/x86"
)

// deadPlaces is dead.S, and where its labels are.
func deadPlaces(t *testing.T) (*elffile.File, map[string]uint64) {
	t.Helper()
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
	return file, at
}

func TestDead(t *testing.T) {
	file, at := deadPlaces(t)
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

// TestDeadOnward: paths go on behind returns and into functions.
func TestDeadOnward(t *testing.T) {
	file, at := deadPlaces(t)
	for _, tt := range []struct {
		label   string
		returns []string
		ends    string
		stops   string
		regs    x86.RegMask
		flags   bool
	}{
		{"overwritten", nil, "", "", x86.RAX, true},
		{"overwritten", []string{"later"}, "", "", x86.RAX | x86.RDX, true},
		{"overwritten", []string{"partly", "later"}, "", "", x86.RAX | x86.RDX, true},
		{"partly", []string{"overwritten", "later"}, "", "", x86.RDX, false},
		{"later", []string{"unknown"}, "", "", x86.RAX | x86.RDX, true},
		{"called", nil, "", "", x86.RAX, true},
		{"called", nil, "", "other", 0, true},
		{"tail", nil, "", "other", 0, false},
		{"tail", []string{"later"}, "", "", x86.RAX | x86.RDX, true},
		{"slotted", nil, "", "", x86.RAX, true},
		{"slotted", nil, "", "other", 0, true},
		{"slottail", []string{"later"}, "", "", x86.RAX | x86.RDX, true},
		{"slottail", []string{"later"}, "", "other", 0, false},
		{"trap", nil, "", "", allRegs, true},
		{"oneway", []string{"word"}, "word", "", allRegs &^ x86.RSP, true},
		{"partly", []string{"word"}, "word", "", allRegs &^ (x86.RSP | x86.RAX | x86.RCX), false},
	} {
		var returns []uint64
		for _, r := range tt.returns {
			returns = append(returns, at[r])
		}
		stops := func(pc uint64) bool { return tt.stops != "" && pc == at[tt.stops] }
		if regs, flags := DeadOnward(file, at[tt.label], returns, at[tt.ends], map[uint64]uint64{at["slot"]: at["other"]}, stops); regs != tt.regs || flags != tt.flags {
			t.Errorf("%s, back to %v: %016b, flags %v; want %016b, %v", tt.label, tt.returns, regs, flags, tt.regs, tt.flags)
		}
	}
}
