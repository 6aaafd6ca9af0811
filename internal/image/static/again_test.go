package static

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/x86"
)

// TestAgain: a call in a loop of its own, in a loop with other calls, and in none.
func TestAgain(t *testing.T) {
	for _, opt := range []string{"-O0", "-O1", "-O2"} {
		info := open(t, "gcc", "again.c", "-static -g -fno-inline "+opt)
		for name, want := range map[string][2]bool{
			"in_loop": {true, false}, "in_outer": {false, true}, "in_none": {false, false},
		} {
			f, ok := info.Symbol(name)
			to, _ := info.Symbol("halt")
			if !ok {
				t.Fatalf("no function %s", name)
			}
			found := false
			for pc := f.Addr; pc < f.Addr+f.Size; {
				inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
				if err != nil {
					t.Fatal(err)
				}
				pc += uint64(inst.Len)
				if r, ok := inst.Args[0].(x86asm.Rel); ok && inst.Op == x86asm.CALL && pc+uint64(int64(r)) == to.Addr {
					found = true
					if plain, calling := Again(info.File, pc); [2]bool{plain, calling} != want {
						t.Errorf("%s, %s: %v, %v", opt, name, plain, calling)
					}
				}
			}
			if !found {
				t.Errorf("%s, %s: no call", opt, name)
			}
		}
	}
}

// TestDecides: a read that a branch goes by, before the use; and one that none goes by.
func TestDecides(t *testing.T) {
	for _, opt := range []string{"-O0", "-O1", "-O2"} {
		info := open(t, "gcc", "again.c", "-static -g -fno-inline "+opt)
		flag, _ := info.Symbol("flag")
		data, _ := info.Symbol("data")
		for name, want := range map[string]bool{"decided": true, "together": false} {
			f, ok := info.Symbol(name)
			if !ok {
				t.Fatalf("no function %s", name)
			}
			var read, use uint64
			for pc := f.Addr; pc < f.Addr+f.Size; {
				inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range inst.Args {
					m, ok := a.(x86asm.Mem)
					switch addr := uint64(m.Disp) + pc + uint64(inst.Len); {
					case !ok || m.Base != x86asm.RIP:
					case addr == flag.Addr:
						read = pc
					case addr == data.Addr:
						use = pc
					}
				}
				pc += uint64(inst.Len)
			}
			if read == 0 || use == 0 {
				t.Fatalf("%s, %s: reads at %#x and %#x", opt, name, read, use)
			}
			if got := Decides(info.File, read, use); got != want {
				t.Errorf("%s, %s: %v", opt, name, got)
			}
		}
	}
}
