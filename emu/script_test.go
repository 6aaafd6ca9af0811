package emu

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// TestScript: a script's instructions stop where an engine's do, and a run that goes on
// makes what it stood before.
func TestScript(t *testing.T) {
	const code, data = 0x1000, 0x8000
	add := func(c *CPU) { c.Store(data, 4, c.Load(data, 4)+1) }
	script := Script{
		code:     {Bytes: []byte{0x90}, Do: func(c *CPU) { c.RBX = 7 }},
		code + 1: {Bytes: []byte{0x90}, Do: add},
		code + 2: {Bytes: []byte{0xf0, 0x83, 0x00, 0x01}, Do: add},
		code + 6: {Bytes: []byte{0x0f, 0x05}},
	}
	m, err := New(Config{Space: 1 << 20, Code: []Range{{Lo: code, Hi: code + 0x1000}}, NoEngine: true, Script: script})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for at, insn := range script {
		if err := m.Load(at, insn.Bytes); err != nil {
			t.Fatal(err)
		}
	}
	m.Protect(code, 0x1000, ProtRead|ProtExec)
	m.Protect(data, 0x1000, ProtRead|ProtWrite)
	m.DeclareAllShared(true)
	k := m.Mark()
	c := m.Start(&Regs{RIP: code})
	for i, want := range []struct {
		why   Why
		pc    uint64
		insns uint64 // completed in the run
		flags trace.AccessFlags
		made  int // records
	}{
		{StopAccess, code + 1, 1, 0, 0},                                      // before the load,
		{StopAccess, code + 1, 0, trace.Write, 1},                            // inside the instruction, before its store,
		{StopAccess, code + 2, 1, trace.Write | trace.Atomic | trace.RMW, 1}, // before one that is indivisible,
		{StopTrap, code + 6, 1, 0, 1},                                        // and before a trap
	} {
		allow := uint32(1)
		if i == 0 {
			allow = 0
		}
		s := m.Run(&Run{From: c, Flags: StopShared, Allow: allow})
		if s.Why != want.why || s.PC != want.pc || s.Insns != want.insns || s.Access.Flags != want.flags || len(s.Accesses) != want.made {
			t.Fatalf("run %d: stop %d at %#x behind %d instructions, before %+v; made %v", i, s.Why, s.PC, s.Insns, s.Access, s.Accesses)
		}
		if i == 1 {
			m.Write32(data, 40) // another thread's store, which is lost
		}
		c = s.Ctx
	}
	if r := m.Regs(c); m.Read32(data) != 2 || r.RBX != 7 || r.RIP != code+6 || m.Clock(c) != 3 {
		t.Errorf("memory %d, registers %+v, clock %d", m.Read32(data), r, m.Clock(c))
	}
	if m.Rewind(k); m.Read32(data) != 0 {
		t.Errorf("after a rewind there is %d", m.Read32(data))
	}
	m.Break(code+2, 3)
	s := m.Run(&Run{From: m.Start(&Regs{RIP: code}), Flags: TracePCs | Solo})
	if s.Why != StopBreak || s.Break != 3 || !slices.Equal(s.PCs, []uint64{code, code + 1}) {
		t.Errorf("stop %d, breakpoint %d, behind %#x", s.Why, s.Break, s.PCs)
	}
	if s := m.Run(&Run{From: s.Ctx, SkipBreak: true, Flags: Solo, Budget: 1}); s.Why != StopBudget || m.Read32(data) != 2 {
		t.Errorf("stop %d, memory %d", s.Why, m.Read32(data))
	}
	m.Protect(data, 0x1000, ProtRead)
	if s := m.Run(&Run{From: m.Start(&Regs{RIP: code + 1}), Flags: Solo}); s.Why != StopFault || s.Fault.Kind != FaultWrite || s.PC != code+1 || s.Regs.RIP != code+1 {
		t.Errorf("stop %d, fault %+v at %#x", s.Why, s.Fault, s.PC)
	}
}
