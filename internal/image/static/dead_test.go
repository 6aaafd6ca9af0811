package static

import (
	"debug/elf"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/trace"
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
		regs  trace.RegSet
		flags bool
	}{
		{"overwritten", trace.RAX, true},
		{"later", trace.RAX | trace.RDX, true},
		{"oneway", trace.RAX, true},
		{"partly", 0, false},
		{"called", 0, false},
		{"tail", 0, false},
		{"around", trace.GeneralRegs &^ trace.RCX, true},
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
		regs    trace.RegSet
		flags   bool
		saved   trace.RegSet
	}{
		{"overwritten", nil, "", "", trace.RAX, true, 0},
		{"overwritten", []string{"later"}, "", "", trace.RAX | trace.RDX, true, 0},
		{"overwritten", []string{"partly", "later"}, "", "", trace.RAX | trace.RDX, true, 0},
		{"partly", []string{"overwritten", "later"}, "", "", trace.RDX, false, 0},
		{"later", []string{"unknown"}, "", "", trace.RAX | trace.RDX, true, 0},
		{"called", nil, "", "", trace.RAX, true, 0},
		{"called", nil, "", "other", 0, true, 0},
		{"tail", nil, "", "other", 0, false, 0},
		{"tail", []string{"later"}, "", "", trace.RAX | trace.RDX, true, 0},
		{"slotted", nil, "", "", trace.RAX, true, 0},
		{"slotted", nil, "", "other", 0, true, 0},
		{"slottail", []string{"later"}, "", "", trace.RAX | trace.RDX, true, 0},
		{"slottail", []string{"later"}, "", "other", 0, true, 0},
		{"trap", nil, "", "", trace.GeneralRegs, true, 0},
		{"saved", nil, "", "", 0, true, trace.RBX},
		{"saved", nil, "", "saver", trace.RBX, true, 0},
		{"savedTwice", nil, "", "", 0, true, trace.RBX},
		{"savedUsed", nil, "", "", 0, false, 0},
		{"savedAfter", nil, "", "", 0, false, 0},
		{"stopped", nil, "", "", trace.RBX, true, 0},
		{"asked", nil, "", "", trace.RCX | trace.R11, false, 0},
		{"thunk", nil, "", "", 0, false, 0},
		{"skips", nil, "", "", 0, false, 0},
		{"framed", nil, "", "", 0, true, 0},
		{"pointed", nil, "", "", 0, false, 0},
		{"pushed", []string{"oneway"}, "", "", 0, false, 0},
		{"written", []string{"oneway"}, "", "", 0, false, 0},
		{"balanced", nil, "", "", trace.RBX, true, 0},
		{"oneway", []string{"word"}, "word", "", trace.GeneralRegs &^ trace.RSP, true, 0},
		{"partly", []string{"word"}, "word", "", trace.GeneralRegs &^ (trace.RSP | trace.RAX | trace.RCX), false, 0},
	} {
		var returns []uint64
		for _, r := range tt.returns {
			returns = append(returns, at[r])
		}
		stops := func(pc uint64) bool { return tt.stops != "" && pc == at[tt.stops] }
		g := &Onward{File: file, Ends: at[tt.ends], Slot: func(a uint64) (uint64, bool) { return at["other"], a == at["slot"] }, Stops: stops, Carried: func(pc uint64) bool { return pc == at["saver"] }, Arguments: func(uint64) trace.RegSet { return AllArguments }}
		if regs, saved, flags := DeadOnward(g, at[tt.label], returns); regs != tt.regs || saved != tt.saved || flags != tt.flags {
			t.Errorf("%s, stops %q, back to %v: %016b, saved %016b, flags %v; want %016b, %016b, %v", tt.label, tt.stops, tt.returns, regs, saved, flags, tt.regs, tt.saved, tt.flags)
		}
	}
}
