package emu

import (
	"testing"

	"landgo/internal/trace"
)

// TestStringPorts: a permitted ins or outs moves one element between memory and a port's
// value, though it repeats; what it does to memory is recorded and taken back.
func TestStringPorts(t *testing.T) {
	m, ctx := boardMachine(t, 0,
		0xf3, 0x6d, // rep insl
		0xf3, 0x6f, // rep outsl
		0xf4) // hlt
	const at = 0x300000
	regs := m.Regs(ctx)
	regs.RDI, regs.RSI, regs.RCX = at, at, 2
	mark := m.Mark()
	s := m.Run(&Run{From: ctx, Set: trace.AllRegs, Regs: regs, StopAt: 2})
	if s.Why != StopPrivileged || s.Insns != 0 {
		t.Fatalf("stop %d after %d instructions, want before rep insl", s.Why, s.Insns)
	}
	for i, v := range []uint32{0x11223344, 0x55667788} {
		s = m.Run(&Run{From: s.Ctx, Thread: 1, Flags: RecordAll, Permit: true, StopAt: 2, Port: v})
		if got := m.Read32(at + 4*uint64(i)); got != v {
			t.Errorf("element %d is %#x, want %#x (stop %d)", i, got, v, s.Why)
		}
		writes := 0
		for _, a := range s.Accesses {
			if a.IsWrite() && a.Addr == at+4*uint64(i) && a.Size == 4 {
				writes++
			}
		}
		if writes == 0 {
			t.Errorf("accesses %+v have no store of element %d", s.Accesses, i)
		}
	}
	r := m.Regs(s.Ctx)
	if r.RCX != 0 || r.RDI != at+8 {
		t.Fatalf("count %d and address %#x behind two elements", r.RCX, r.RDI)
	}
	r.RCX, r.RIP = 1, boardCode+2
	s = m.Run(&Run{From: s.Ctx, Set: trace.AllRegs, Regs: r, StopAt: 2})
	s = m.Run(&Run{From: s.Ctx, Thread: trace.TID(1), Permit: true, StopAt: 2})
	if s.Port != 0x11223344 {
		t.Errorf("the port got %#x (stop %d)", s.Port, s.Why)
	}
	m.Rewind(mark)
	if m.Read32(at) != 0 {
		t.Error("a rewind leaves what was read from the port")
	}
}
