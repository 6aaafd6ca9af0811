package emu

import "testing"

const (
	codeAt  = 0x400000
	dataAt  = 0x600000
	stackAt = 0x700000
)

// machine returns a machine with code at codeAt, and read-write data and stack.
func machine(t testing.TB, code []byte) *Machine {
	t.Helper()
	m, err := New(Config{Code: []Range{{codeAt, codeAt + 0x10000}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if err := m.Load(codeAt, code); err != nil {
		t.Fatal(err)
	}
	m.Protect(codeAt, 0x10000, ProtRead|ProtExec)
	m.Protect(dataAt, 0x10000, ProtRead|ProtWrite)
	m.Protect(stackAt, 0x10000, ProtRead|ProtWrite)
	return m
}

func regs() *Regs {
	return &Regs{RIP: codeAt, RSP: stackAt + 0x8000, RBX: dataAt, RFLAGS: 2}
}

// An increment in memory is two events on several processors, and another
// thread's increments between them are lost.
func TestSplitLosesUpdate(t *testing.T) {
	m := machine(t, []byte{0xff, 0x03, 0xff, 0x03, 0xf4}) // incl (%rbx) twice, hlt
	m.DeclareAllShared(true)
	a, b := m.Start(regs()), m.Start(regs())
	s := m.Run(&Run{From: a, Flags: StopShared, Allow: 1})
	if s.Why != StopAccess || !s.Half || s.Insns != 0 || !s.Access.IsWrite() || len(s.Accesses) != 1 {
		t.Fatalf("first half: %+v", *s)
	}
	a = s.Ctx
	if s = m.Run(&Run{From: b, Thread: 1}); s.Why != StopPrivileged || m.Read32(dataAt) != 2 {
		t.Fatalf("other thread: %+v", *s)
	}
	s = m.Run(&Run{From: a, Flags: StopShared, Allow: 1})
	if s.Half || s.Insns != 1 || s.PC != codeAt+2 || m.Read32(dataAt) != 1 {
		t.Fatalf("second half: %+v, counter %d", *s, m.Read32(dataAt))
	}
}
