package emu

import (
	"encoding/binary"
	"testing"

	"landgo/internal/trace"
)

const (
	programBias  = 0x80000000
	programPages = 0x2000 // the page directory; the table of the lowest 4 MiB is behind it
	programAt    = 0x1000
	programPage  = 0x200000 // where that is in memory
	programData  = 0x5000
	dataPage     = 0x201000
)

// programMachine is a machine of i386 with paging on, whose kernel is at its upper
// addresses, and code of a program in a page at a lower one.
func programMachine(t *testing.T, code ...byte) (*Machine, Ctx) {
	t.Helper()
	m, err := New(Config{Mode: I386, Bare: true, CodeBias: programBias, Space: 4 << 20, Uniprocessor: true, Programs: true,
		Code: []Range{{Lo: boardCode + programBias, Hi: boardCode + programBias + 0x1000}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	if !m.HasPaging() {
		t.Skip("this engine doesn't follow page tables")
	}
	m.Protect(0, 4<<20, ProtRead|ProtWrite)
	m.Protect(boardCode, 0x1000, ProtRead|ProtExec)
	le := binary.LittleEndian
	directory, table := make([]byte, 4096), make([]byte, 4096)
	le.PutUint32(directory, programPages+0x1000|7)
	le.PutUint32(directory[programBias>>22*4:], programPages+0x1000|7)
	for i := range uint32(1024) {
		le.PutUint32(table[4*i:], i<<12|7)
	}
	// The kernel's parts of the lowest pages are at the upper addresses only.
	low := append([]byte(nil), table...)
	le.PutUint32(low[programAt>>12*4:], programPage|7)
	le.PutUint32(low[programData>>12*4:], dataPage|7)
	le.PutUint32(low[(programData>>12+1)*4:], dataPage+0x5000|7)
	le.PutUint32(directory, programPages+0x2000|7)
	gdt := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0x9b, 0xcf, 0, 0xff, 0xff, 0, 0, 0, 0x93, 0xcf, 0}
	// The kernel: mov %eax, (%ebx); hlt.
	for at, p := range map[uint64][]byte{boardGDT: gdt, programPages: directory, programPages + 0x1000: table, programPages + 0x2000: low,
		programPage: code, boardCode: {0x89, 0x03, 0xf4}} {
		if err := m.Load(at, p); err != nil {
			t.Fatal(err)
		}
	}
	m.StartPaging(programPages)
	m.StartBoard(programBias+boardGDT, uint32(len(gdt)))
	return m, m.Start(&Regs{RIP: programAt, RSP: programBias + 0x300000, RBX: programBias + programPage, RFLAGS: 2})
}

// TestProgramChanges: code of a program that was written anew is executed as it
// is now. The kernel may have stored it, it may have been written for the
// kernel, or a Rewind may have brought it back.
func TestProgramChanges(t *testing.T) {
	m, ctx := programMachine(t, 0xb8, 1, 0, 0, 0, 0xf4) // mov $1, %eax; hlt
	run := func(want uint64, how string) {
		t.Helper()
		s := m.Run(&Run{From: ctx, User: true})
		if s.Why != StopPrivileged || s.Regs.RAX != want {
			t.Errorf("%s: stop %d (%s) with %d, want %d", how, s.Why, s.Detail, s.Regs.RAX, want)
		}
	}
	k := m.Mark()
	run(1, "at first")
	m.Write(programPage+1, []byte{2})
	run(2, "written")
	s := m.Run(&Run{From: ctx, Set: trace.RIP | trace.RAX, Regs: Regs{RIP: programBias + boardCode, RAX: 0x3b8}})
	if s.Why != StopPrivileged {
		t.Fatalf("the kernel stopped for %d (%s)", s.Why, s.Detail)
	}
	run(3, "stored by the kernel")
	m.Rewind(k)
	run(1, "after the rewind")
}

// TestProgramStores: a program that stores into its own code stops; one that
// stores beside it, in the same page, doesn't. An access stops too if its two
// pages aren't side by side in memory. The kernel's own are.
func TestProgramStores(t *testing.T) {
	for _, c := range []struct {
		name string
		code []byte
		why  Why
	}{
		{"into itself", []byte{0xc6, 0x05, 0x02, 0x10, 0, 0, 0x90, 0xf4}, StopUnmodelled},   // movb $0x90, 0x1002
		{"beside itself", []byte{0xc6, 0x05, 0x00, 0x18, 0, 0, 0x90, 0xf4}, StopPrivileged}, // movb $0x90, 0x1800
		{"load across", []byte{0xa1, 0xfe, 0x5f, 0, 0, 0xf4}, StopUnmodelled},               // mov 0x5ffe, %eax
		{"store across", []byte{0xa3, 0xfe, 0x5f, 0, 0, 0xf4}, StopUnmodelled},              // mov %eax, 0x5ffe
		{"load", []byte{0xa1, 0xfc, 0x5f, 0, 0, 0xf4}, StopPrivileged},
	} {
		m, ctx := programMachine(t, c.code...)
		if s := m.Run(&Run{From: ctx, User: true}); s.Why != c.why {
			t.Errorf("%s: stop %d (%s), want %d", c.name, s.Why, s.Detail, c.why)
		}
		for at, want := range map[uint64]Why{0x2ffffe: StopPrivileged, dataPage + 0xffe: StopUnmodelled} {
			if s := m.Run(&Run{From: ctx, Set: trace.RIP | trace.RBX, Regs: Regs{RIP: programBias + boardCode, RBX: programBias + at}}); s.Why != want {
				t.Errorf("%s: the kernel's store at %#x: stop %d (%s), want %d", c.name, at, s.Why, s.Detail, want)
			}
		}
	}
}

// TestProgramAccess: accesses of programs are told by where the page is in memory.
func TestProgramAccess(t *testing.T) {
	m, ctx := programMachine(t, 0xa3, 0x10, 0x50, 0, 0, 0xf4) // mov %eax, 0x5010
	m.DeclareAllShared(true)
	s := m.Run(&Run{From: ctx, User: true})
	if len(s.Accesses) != 1 || s.Accesses[0].Addr != dataPage+0x10 || s.Accesses[0].PC != programAt {
		t.Errorf("accesses %+v, want one of %#x", s.Accesses, dataPage+0x10)
	}
}

// TestDevice: an access to a device stops before the instruction; permitted, it finds
// what was put there, and what it stores is told. Plain registers are read without a stop.
func TestDevice(t *testing.T) {
	const device = 0xfee00000
	code := []byte{
		0x8b, 0x4b, 0x20, // mov 0x20(%rbx), %ecx
		0x8b, 0x03, // mov (%rbx), %eax
		0x83, 0x03, 0x05, // addl $5, (%rbx)
		0xf4}
	m, err := New(Config{Bare: true, Space: 4 << 20, Uniprocessor: true, Code: []Range{{Lo: boardCode, Hi: boardCode + 0x1000}},
		Devices: []Device{{Addr: device, Plain: []uint64{device + 0x20}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.Protect(boardCode, 0x1000, ProtRead|ProtExec)
	if err := m.Load(boardCode, code); err != nil {
		t.Fatal(err)
	}
	put := func(at uint64, v uint32) { binary.LittleEndian.PutUint32(m.DeviceBytes(at, 4), v) }
	put(device+0x20, 7)
	s := m.Run(&Run{From: m.Start(&Regs{RIP: boardCode, RBX: device, RFLAGS: 2})})
	if s.Why != StopDevice || s.Insns != 1 || s.Device != (DeviceAccess{device, 4, false}) || s.Regs.RCX != 7 {
		t.Fatalf("stop %d after %d, %+v, rcx %d", s.Why, s.Insns, s.Device, s.Regs.RCX)
	}
	put(device, 11)
	s = m.Run(&Run{From: s.Ctx, Permit: true})
	if s.Why != StopDevice || s.Insns != 1 || s.Regs.RAX != 11 || s.Device.Write {
		t.Fatalf("stop %d after %d, %+v, rax %d", s.Why, s.Insns, s.Device, s.Regs.RAX)
	}
	put(device, 20)
	s = m.Run(&Run{From: s.Ctx, Permit: true, StopAt: 2})
	if s.Why != StopInsn || s.Device != (DeviceAccess{device, 4, true}) || binary.LittleEndian.Uint32(m.DeviceBytes(device, 4)) != 25 {
		t.Errorf("stop %d, %+v, the device has %d", s.Why, s.Device, m.DeviceBytes(device, 4))
	}
	s = m.Run(&Run{From: m.Start(&Regs{RIP: boardCode, RBX: device + 0x1000, RFLAGS: 2})})
	if s.Why != StopFault {
		t.Errorf("beyond the device: stop %d", s.Why)
	}
}

// TestProgramPoints: a run stops before a program's access where Points has its address, and
// nowhere else in it.
func TestProgramPoints(t *testing.T) {
	m, ctx := programMachine(t, 0xa1, 0, 0x50, 0, 0, 0xa3, 0, 0x50, 0, 0, 0xf4) // mov 0x5000, %eax; mov %eax, 0x5000; hlt
	m.DeclareAllShared(true)
	for _, c := range []struct {
		points []uint64
		why    Why
		at     uint64
	}{
		{nil, StopPrivileged, programAt + 10},
		{[]uint64{programBias + programAt}, StopPrivileged, programAt + 10},
		{[]uint64{programAt + 5, 0x10}, StopAccess, programAt + 5},
		{[]uint64{programAt + 5, programAt}, StopAccess, programAt},
	} {
		m.Points(c.points)
		if s := m.Run(&Run{From: ctx, User: true, Flags: StopPoints}); s.Why != c.why || s.PC != c.at {
			t.Errorf("points %#x: stop %d (%s) at %#x, want %d at %#x", c.points, s.Why, s.Detail, s.PC, c.why, c.at)
		}
	}
}
