package emu

import (
	"encoding/binary"
	"testing"

	"landgo/internal/trace"
)

const (
	boardCode = 0x100000
	boardGDT  = 0x1000
)

// boardMachine is a bare machine in 64-bit mode with code, which begins with the
// stack at 0x200000.
func boardMachine(t testing.TB, bias uint64, code ...byte) (*Machine, Ctx) {
	t.Helper()
	m, err := New(Config{Bare: true, CodeBias: bias, Space: 4 << 20, Uniprocessor: true, Code: []Range{{Lo: boardCode + bias, Hi: boardCode + bias + 0x1000}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	m.Protect(0, 4<<20, ProtRead|ProtWrite)
	m.Protect(boardCode, 0x1000, ProtRead|ProtExec)
	table := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x9b, 0x20, 0, 0xff, 0xff, 0, 0, 0, 0x93, 0xcf, 0}
	for _, x := range []struct {
		at uint64
		p  []byte
	}{{boardCode, code}, {boardGDT, table}} {
		if err := m.Load(x.at, x.p); err != nil {
			t.Fatal(err)
		}
	}
	m.StartBoard(boardGDT, uint32(len(table)))
	return m, m.Start(&Regs{RIP: boardCode + bias, RSP: 0x200000, RBX: 0x300000, RFLAGS: 0x202})
}

// TestPrivileged: what only a kernel may do stops a run, and is carried out where
// it is permitted, one at a time.
func TestPrivileged(t *testing.T) {
	m, ctx := boardMachine(t, 0,
		0xfa,             // cli
		0x90,             // nop
		0x0f, 0x20, 0xc0, // mov %cr0, %rax
		0x9c,             // pushf
		0x9d,             // popf
		0x48, 0x89, 0xdc, // mov %rbx, %rsp
		0xec, // in (%dx), %al
		0xf4) // hlt
	for _, want := range []struct {
		name  string
		insns uint64
	}{{"cli", 0}, {"move to or from a control register", 2}, {"popf", 2}, {"load of the stack pointer", 1}, {"port input or output", 1}} {
		s := m.Run(&Run{From: ctx, Permit: want.insns > 0})
		if s.Why != StopPrivileged || s.Detail != want.name || s.Insns != want.insns {
			t.Fatalf("stop %d (%s) after %d instructions, want %s after %d", s.Why, s.Detail, s.Insns, want.name, want.insns)
		}
		ctx = s.Ctx
	}
	if sp := m.Regs(ctx).RSP; sp != 0x300000 {
		t.Errorf("the stack pointer is %#x, want what was loaded", sp)
	}
	if b := m.BoardRegs(ctx); b.GDT != boardGDT || b.CS != 8 || b.SS != 16 {
		t.Errorf("the processor has %+v", b)
	}
}

// TestChangesNothing: neither cli where interrupts are off nor a move of the stack
// pointer within a function's frame stops a run; what looks alike does.
func TestChangesNothing(t *testing.T) {
	m, ctx := boardMachine(t, 0,
		0x48, 0x89, 0xdc, // mov %rbx, %rsp
		0xfa, // cli
		0xf4) // hlt
	for _, c := range []struct {
		name      string
		sp, flags uint64
		detail    string
		insns     uint64
	}{
		{"a frame", 0x300000 + 1008, 2, "hlt", 2},
		{"another page", 0x300000 - 16, 2, "load of the stack pointer", 0},
		{"far away", 0x300000 + 2000, 2, "load of the stack pointer", 0},
		{"interrupts on", 0x300000 + 1008, 0x202, "cli", 1},
	} {
		s := m.Run(&Run{From: ctx, Set: trace.RSP | trace.RFLAGS, Regs: Regs{RSP: c.sp, RFLAGS: c.flags}})
		if s.Why != StopPrivileged || s.Detail != c.detail || s.Insns != c.insns {
			t.Errorf("%s: stop %d (%s) after %d instructions, want %s after %d", c.name, s.Why, s.Detail, s.Insns, c.detail, c.insns)
		}
	}
}

// TestBlind: accesses to the blind range are taken back by Rewind, and aren't
// records.
func TestBlind(t *testing.T) {
	m, ctx := boardMachine(t, 0,
		0x48, 0x89, 0x03, // mov %rax, (%rbx)
		0x48, 0x89, 0x43, 0x08, // mov %rax, 8(%rbx)
		0xf4) // hlt
	m.DeclareAllShared(true)
	k := m.Mark()
	s := m.Run(&Run{From: ctx, Set: trace.RAX, Regs: Regs{RAX: 7}, Blind: Range{Lo: 0x300000, Hi: 0x300008}})
	if len(s.Accesses) != 1 || s.Accesses[0].Addr != 0x300008 || m.Read64(0x300000) != 7 {
		t.Errorf("%d records, %#x in the blind range", len(s.Accesses), m.Read64(0x300000))
	}
	if m.Rewind(k); m.Read64(0x300000) != 0 {
		t.Error("a blind store isn't taken back")
	}
}

// TestPagesProtected: on i386 the pages that a kernel begins with are protected from
// itself, too.
func TestPagesProtected(t *testing.T) {
	m, err := New(Config{Bare: true, Mode: I386, Space: 4 << 20, Uniprocessor: true, Code: []Range{{Lo: boardCode, Hi: boardCode + 0x1000}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if !m.HasPaging() {
		t.Skip("libunicorn is older than 2.1")
	}
	m.Protect(0, 4<<20, ProtRead|ProtWrite)
	m.Protect(boardCode, 0x1000, ProtRead|ProtExec)
	const directory, pages, protected = 0x2000, 0x3000, 0x300000
	put := binary.LittleEndian.AppendUint32
	var table []byte
	for at := uint32(0); at < 4<<20; at += 0x1000 {
		flags := uint32(3) // present, writable
		if at == protected {
			flags = 1
		}
		table = put(table, at|flags)
	}
	segments := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0x9b, 0xcf, 0, 0xff, 0xff, 0, 0, 0, 0x93, 0xcf, 0}
	for at, p := range map[uint64][]byte{
		boardCode: {0x89, 0x03, 0xf4}, // mov %eax, (%ebx); hlt
		boardGDT:  segments,
		directory: put(nil, pages|3),
		pages:     table,
	} {
		if err := m.Load(at, p); err != nil {
			t.Fatal(err)
		}
	}
	m.StartPaging(directory)
	m.StartBoard(boardGDT, uint32(len(segments)))
	for at, want := range map[uint64]Why{protected: StopFault, protected + 0x2000: StopPrivileged} {
		s := m.Run(&Run{From: m.Start(&Regs{RIP: boardCode, RSP: 0x200000, RBX: at, RFLAGS: 2})})
		if s.Why != want {
			t.Errorf("a store to %#x ends in %d (%s), want %d", at, s.Why, s.Detail, want)
		}
		if want != StopFault {
			continue
		}
		// The processor goes on with another thread, that does the same.
		s = m.Run(&Run{From: s.Ctx, Set: trace.RIP, Regs: Regs{RIP: boardCode}})
		if s.Why != StopFault || s.Fault.Addr != at {
			t.Errorf("a second store ends in %d (%s) %+v", s.Why, s.Detail, s.Fault)
		}
	}
}

// TestExceptions: one that the kernel takes and goes on from isn't under way when the
// next one comes; and each has the error code that its handler gets.
func TestExceptions(t *testing.T) {
	m, ctx := boardMachine(t, 0,
		0xf7, 0xf1, // div %ecx
		0x8e, 0xd8, // mov %eax, %ds
		0xcc,       // int3
		0x0f, 0x0b, // ud2
		0xf4) // hlt
	regs := m.Regs(ctx)
	regs.RCX, regs.RAX = 0, 0x1234
	for i, want := range []struct {
		vector uint8
		code   uint32
		next   uint64
	}{{0, 0, 0}, {0, 0, 2}, {13, 0x1234, 2}, {13, 0x1234, 4}, {3, 0, 5}, {6, 0, 5}, {6, 0, 0}, {0, 0, 0}} {
		s := m.Run(&Run{From: ctx, Set: trace.AllRegs, Regs: regs})
		if s.Why != StopFault || !s.Raised || s.Trap.Vector != want.vector || s.ErrorCode != want.code {
			t.Fatalf("stop %d: %+v", i, *s)
		}
		ctx, regs = s.Ctx, s.Regs
		regs.RIP = boardCode + want.next
	}
}
