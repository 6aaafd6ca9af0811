package emu

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/trace"
)

// Each way in which the engine surprises is one test here, and where the
// machine's cure can be switched off, the test sees that it fails without.

// setKnobs switches cures off, from the next run on.
func (m *Machine) setKnobs(k uint32) { set(&m.c.knobs, k) }

// set assigns to a number of C's, whose type a test has no name for.
func set[T ~uint32](to *T, v uint32) { *to = T(v) }

// cured runs check with all cures, when it must pass, and without one of them,
// when it must fail.
func cured(t *testing.T, knob uint32, check func(t *testing.T, knobs uint32) error) {
	t.Helper()
	if err := check(t, 0); err != nil {
		t.Error(err)
	}
	if check(t, knob) == nil {
		t.Error("passes with its cure switched off")
	}
}

// small is a machine with a few lines of assembly, all memory shared.
func small(t *testing.T, source string, knobs uint32) *guest {
	t.Helper()
	g := load(t, source+"\n\thlt\n", Config{})
	g.setKnobs(knobs)
	g.DeclareAllShared(true)
	return g
}

// A stop in the memory hook has the pc of the instruction that makes the access.
func TestPCInMemoryHook(t *testing.T) {
	g := small(t, `
	lock incl (%rbx)
	movups (%rbx), %xmm0
	fldl (%rbx)
	movsl
	addl $1, 8(%rbx)`, 0)
	s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt, RSI: dataAt, RDI: dataAt + 64}), Flags: StopShared, Allow: 99, StopAt: 6})
	var pcs []uint64
	for _, a := range s.Accesses {
		pcs = append(pcs, a.PC-g.entry)
	}
	if want := []uint64{0, 3, 3, 6, 8, 8, 9, 9}; !slices.Equal(pcs, want) {
		t.Errorf("pcs %v, want %v", pcs, want)
	}
}

// events formats records as "r4@0 w4@8 ...", addresses relative to the data;
// locked ones begin with a capital.
func events(accesses []trace.Access) string {
	s := ""
	for _, a := range accesses {
		kind := "r"
		switch {
		case a.Flags&trace.FailedCAS != 0:
			kind = "F"
		case a.Flags&trace.RMW != 0:
			kind = "M"
		case a.IsWrite():
			kind = "w"
		}
		if a.Flags&trace.Silent != 0 {
			kind += "="
		}
		if a.Flags&trace.Atomic != 0 && a.Flags&(trace.RMW|trace.FailedCAS) == 0 {
			kind += "!"
		}
		s += fmt.Sprintf("%s%d@%d ", kind, a.Size, int64(a.Addr-dataAt))
	}
	return s
}

// The engine's records of an instruction become its architectural accesses.
func TestCallbacksPerInstruction(t *testing.T) {
	for _, c := range []struct{ insn, want string }{
		{"mov (%rbx), %eax", "r4@0 "},
		{"movb $1, 3(%rbx)", "w1@3 "},
		{"addl $1, (%rbx)", "r4@0 w4@0 "},
		{"addl $0, (%rbx)", "r4@0 w=4@0 "},
		{"cmpl $1, (%rbx)", "r4@0 "},
		{"xchg %eax, (%rbx)", "M=4@0 "},
		{"xchg %rsi, (%rbx)", "M8@0 "},
		{"lock addl $1, (%rbx)", "M4@0 "},
		{"lock xaddl %esi, (%rbx)", "M4@0 "},
		{"xaddl %esi, (%rbx)", "r4@0 w4@0 "},
		{"lock btsl $3, (%rbx)", "M4@0 "},
		{"btsl $3, (%rbx)", "r4@0 w4@0 "},
		{"lock cmpxchgl %esi, (%rbx)", "M4@0 "},
		{"lock cmpxchgl %esi, 64(%rbx)", "F4@64 "},
		{"lock cmpxchgb %sil, (%rbx)", "M1@0 "},
		{"cmpxchgl %esi, (%rbx)", "r4@0 w4@0 "},
		{"cmpxchgl %esi, 64(%rbx)", "r4@64 w=4@64 "},
		{"lock cmpxchg8b (%rbx)", "M8@0 "},
		{"lock cmpxchg8b 64(%rbx)", "F8@64 "},
		{"lock cmpxchg16b (%rbx)", "M16@0 "},
		{"lock cmpxchg16b 64(%rbx)", "F16@64 "},
		{"cmpxchg16b (%rbx)", "r8@0 r8@8 w8@0 w=8@8 "},
		{"pushq (%rbx)", "r8@0 w=8@248 "},
		{"popq (%rbx)", "r8@256 w=8@0 "},
		{"push %rax", "w=8@248 "},
		{"movups (%rbx), %xmm0", "r8@0 r8@8 "},
		{"movups %xmm1, 4(%rbx)", "w=8@4 w=8@12 "},
		{"fldt (%rbx)", "r8@0 r2@8 "},
		{"fld1\n fstpt (%rbx)", "w8@0 w2@8 "},
		{"mov 61(%rbx), %rax", "r3@61 r5@64 "},
		{"mov 56(%rbx), %rax", "r8@56 "},
		{"addw $1, 63(%rbx)", "r1@63 r1@64 w1@63 w=1@64 "},
		{"lock addl $1, 62(%rbx)", "M4@62 "},
		{"xchg %rsi, 60(%rbx)", "M8@60 "},
		{"movsq", "r8@128 w8@192 "},
		{"cmpsq", "r8@192 r8@128 "},
		{"lea -8(%rsi), %rdi\n cmpsq", "r8@120 r8@128 "},
		{"mov $2, %ecx\n rep movsl", "r4@128 w4@192 r4@132 w=4@196 "},
		{"call *96(%rbx)", "r8@96 w8@248 "},
		{"mov 4094(%rbx), %eax", "r2@4094 r2@4096 "},
		{"movl $5, 4094(%rbx)", "w2@4094 w=2@4096 "},
		{"addl $5, 4094(%rbx)", "r2@4094 r2@4096 w2@4094 w=2@4096 "},
		{"movups 4090(%rbx), %xmm0", "r6@4090 r2@4096 r8@4098 "},
		{"movups %xmm1, 4090(%rbx)", "w=6@4090 w=2@4096 w=8@4098 "},
		{"xor %eax, %eax\n cmovnz (%rbx), %eax", "r4@0 "},
		{"enter $16, $0", "w8@248 "},
		{"nop", ""},
	} {
		if err := checkEvents(t, StopShared, c.insn, c.want, 0); err != nil {
			t.Error(err)
		}
	}
	// Where a run doesn't stop between the parts of an access, they are one record.
	for _, c := range []struct {
		knob       uint32
		flags      RunFlags
		insn, want string
	}{
		{knobNoMerge, 0, "movups (%rbx), %xmm0", "r16@0 "},
		{knobNoMerge, 0, "fldt (%rbx)", "r10@0 "},
		{knobNoMerge, 0, "mov 60(%rbx), %rax", "r8@60 "},
		{knobNoLock, StopShared, "xchg %rsi, (%rbx)", "M8@0 "},
		{knobNoLock, StopShared, "lock addl $1, (%rbx)", "M4@0 "},
		{knobNoCAS, StopShared, "lock cmpxchgl %esi, 64(%rbx)", "F4@64 "},
	} {
		cured(t, c.knob, func(t *testing.T, k uint32) error { return checkEvents(t, c.flags, c.insn, c.want, k) })
	}
}

// checkEvents runs instructions over data that is zero but for a pointer to the
// end of the code at 96, a one at 64 and at 128.
func checkEvents(t *testing.T, flags RunFlags, insn, want string, knobs uint32) error {
	t.Helper()
	g := small(t, insn+"\nend:\n", knobs)
	g.Write64(dataAt+96, g.symbols["end"])
	g.Write32(dataAt+64, 1)
	g.Write32(dataAt+128, 1)
	s := g.Run(&Run{From: g.Start(&Regs{
		RIP: g.entry, RBX: dataAt, RSI: dataAt + 128, RDI: dataAt + 192, RSP: dataAt + 256, RBP: 7, RFLAGS: 2,
	}), Flags: flags, Allow: 99})
	if s.Why != StopPrivileged {
		return fmt.Errorf("%s: %+v", insn, *s)
	}
	if got := events(s.Accesses); got != want {
		return fmt.Errorf("%s: events %q, want %q", insn, got, want)
	}
	return nil
}

// A load that crosses a page is reported three times by some versions.
func TestPageCrossingLoad(t *testing.T) {
	if v := engine(t); v != "unicorn 2.0.1" && v != "unicorn 2.1.1" {
		t.Skip(v, "reports it once")
	}
	cured(t, knobNoEcho, func(t *testing.T, k uint32) error {
		return checkEvents(t, StopShared, "mov 4094(%rbx), %rax\nmov 4092(%rbx), %rax", "r2@4094 r6@4096 r4@4092 r4@4096 ", k)
	})
}

// Addresses are the guest's, whatever space the engine reports them in.
func TestAddressGiven(t *testing.T) {
	g := small(t, "mov (%rbx), %eax", 0)
	for _, addr := range []uint64{1 << 32, 63 << 30} {
		g.Protect(addr, 4096, ProtRead)
		s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: addr}), Flags: StopShared})
		if s.Why != StopAccess || s.Access.Addr != addr {
			t.Errorf("%#x: %+v", addr, *s)
		}
	}
	for _, addr := range []uint64{64 << 30, 1 << 47, 0xffffffffffffff00, 0xfffffffffffffffe, 0xffff800000000000, dataAt | 1<<52, dataAt | 1<<63, dataAt | 1<<63 | 1<<52, dataAt | 1<<52} {
		s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: addr})})
		if s.Why != StopFault || s.Fault.Kind != FaultRead || s.Fault.Addr != addr {
			t.Errorf("%#x: %+v", addr, *s)
		}
	}
}

// A stop before a store leaves nothing of it.
func TestStoppingBeforeStore(t *testing.T) {
	cured(t, knobNoStoreUndo, func(t *testing.T, k uint32) error {
		g := small(t, "movl $5, (%rbx)", k)
		s := g.Run(&Run{From: g.start(0), Flags: StopShared})
		if s.Why != StopAccess || g.Read32(dataAt) != 0 {
			return fmt.Errorf("%+v, memory %d", *s, g.Read32(dataAt))
		}
		return nil
	})
}

// Some instructions run to their end although they were to stop.
func TestLateStop(t *testing.T) {
	for _, insn := range []string{"cmpxchg16b (%rbx)", "fxsave (%rbx)", "fldt (%rbx)", "fld1\nfstpt (%rbx)", "lock cmpxchg8b (%rbx)"} {
		cured(t, knobNoLate, func(t *testing.T, k uint32) error {
			g := small(t, "mov $7, %ecx\n"+insn+"\nmov $8, %edx", k)
			c := g.start(0)
			before := g.hash(c)
			s := g.Run(&Run{From: c, Flags: StopShared})
			if s.Why != StopAccess || g.hash(s.Ctx) == before || g.Regs(s.Ctx).RDX != 0 {
				return fmt.Errorf("%s: %+v", insn, *s)
			}
			if stop := g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 99, StopAt: 2}); stop.Why != StopInsn || stop.Insns != 1 || len(stop.Accesses) == 0 {
				return fmt.Errorf("%s: going on: %+v", insn, *stop)
			}
			return nil
		})
	}
}

// Traps, faults and what isn't modelled stop before the instruction, which does
// nothing.
func TestEvents(t *testing.T) {
	for _, c := range []struct {
		insn string
		why  Why
		kind FaultKind
		trap Trap
		name string
	}{
		{insn: "syscall", why: StopTrap, trap: Trap{Syscall: true, Len: 2}},
		{insn: "int $0x52", why: StopTrap, trap: Trap{Vector: 0x52, Len: 2}},
		{insn: "int3", why: StopFault, kind: FaultBreakpoint, trap: Trap{Vector: 3, Len: 1}},
		{insn: "ud2", why: StopFault, kind: FaultIllegal, trap: Trap{Vector: 6}},
		{insn: ".byte 0x06", why: StopFault, kind: FaultIllegal, trap: Trap{Vector: 6}},
		{insn: "div %ecx", why: StopFault, kind: FaultDivide},
		{insn: "mov 0x10, %eax", why: StopFault, kind: FaultRead},
		{insn: "movl $1, 0x10", why: StopFault, kind: FaultWrite},
		{insn: "movl $1, _start(%rip)", why: StopFault, kind: FaultWrite},
		{insn: "jmp *%rbx", why: StopFault, kind: FaultFetch},
		{insn: "jmp *%rcx", why: StopFault, kind: FaultFetch},
		{insn: "call *%rcx", why: StopFault, kind: FaultFetch},
		{insn: "jmp 0x12345000", why: StopFault, kind: FaultFetch},
		{insn: "hlt", why: StopPrivileged, name: "hlt"},
		{insn: "cli", why: StopPrivileged, name: "cli"},
		{insn: "sti", why: StopPrivileged, name: "sti"},
		{insn: "in $0x20, %al", why: StopPrivileged, name: "port input or output"},
		{insn: "out %al, %dx", why: StopPrivileged, name: "port input or output"},
		{insn: "iretq", why: StopPrivileged, name: "iret"},
		{insn: "mov %rax, %cr3", why: StopPrivileged, name: "move to or from a control register"},
		{insn: "wrmsr", why: StopPrivileged, name: "wrmsr"},
		{insn: "invlpg (%rbx)", why: StopPrivileged, name: "invlpg"},
		{insn: "lgdt (%rbx)", why: StopPrivileged, name: "lgdt"},
		{insn: "sysenter", why: StopUnmodelled, name: "sysenter"},
		{insn: "vaddps %ymm0, %ymm0, %ymm0", why: StopUnmodelled, name: "AVX or BMI (a VEX prefix)"},
		{insn: "vzeroupper", why: StopUnmodelled, name: "AVX or BMI (a VEX prefix)"},
		{insn: "andn %eax, %eax, %eax", why: StopUnmodelled, name: "AVX or BMI (a VEX prefix)"},
		{insn: "vaddps %zmm0, %zmm0, %zmm0", why: StopUnmodelled, name: "AVX-512"},
		{insn: "rdrand %eax", why: StopUnmodelled, name: "rdrand"},
		{insn: "rdseed %rax", why: StopUnmodelled, name: "rdseed"},
		{insn: "xgetbv", why: StopUnmodelled, name: "xgetbv"},
		{insn: ".byte 0x0f, 0x01, 0xe8", why: StopUnmodelled, name: "serialize and its kin"},
		{insn: ".byte 0x0f, 0x01, 0xfc", why: StopUnmodelled, name: "monitorx, mwaitx, clzero or rdpru"},
		{insn: "xsave (%rbx)", why: StopUnmodelled, name: "xsave"},
		{insn: "clflushopt (%rbx)", why: StopUnmodelled, name: "clflushopt"},
		{insn: "clwb (%rbx)", why: StopUnmodelled, name: "clwb"},
		{insn: "aesenc %xmm0, %xmm0", why: StopUnmodelled, name: "aes"},
		{insn: "xbegin .", why: StopUnmodelled, name: "transactional memory"},
		{insn: "xtest", why: StopUnmodelled, name: "xtest"},
		{insn: "shldl $3, %eax, 4(%rip)", why: StopUnmodelled, name: "shld or shrd by a constant in memory at an address relative to rip"},
		{insn: "shrdw $3, %ax, 4(%rip)", why: StopUnmodelled, name: "shld or shrd by a constant in memory at an address relative to rip"},
		{insn: "mov %ax, %gs", why: StopUnmodelled, name: "load of a segment register"},
	} {
		g := small(t, "mov $7, %edx\n"+c.insn, 0)
		s := g.Run(&Run{From: g.start(0), Budget: 9})
		far := c.kind == FaultFetch
		if s.Why != c.why || s.Fault.Kind != c.kind || s.Trap.Syscall != c.trap.Syscall || s.Trap.Vector != c.trap.Vector || s.Detail != c.name {
			t.Errorf("%s: %+v", c.insn, *s)
		}
		if c.trap.Len != 0 && s.Trap.Len != c.trap.Len {
			t.Errorf("%s: length %d", c.insn, s.Trap.Len)
		}
		if !far && (s.Insns != 1 || s.PC != g.entry+5 || s.Regs.RIP != s.PC || s.Regs.RDX != 7 || s.Regs.RSP != stackAt+0x4000) {
			t.Errorf("%s: not before the instruction: %+v", c.insn, *s)
		}
		if far && (s.Insns != 2 || s.Fault.Addr != s.PC || s.PC == g.entry+5) {
			t.Errorf("%s: not at the target: %+v", c.insn, *s)
		}
	}
	cured(t, knobNoTraps, func(t *testing.T, k uint32) error {
		g := small(t, "syscall", k)
		if s := g.Run(&Run{From: g.start(0), Budget: 9}); s.Why != StopTrap || s.Insns != 0 {
			return fmt.Errorf("%+v", *s)
		}
		return nil
	})
}

// Code that the guest makes or changes while it runs is refused by name.
func TestCodeMadeAtRunTime(t *testing.T) {
	g := small(t, "jmp *%rbx", 0)
	g.Protect(dataAt, 1, ProtRead|ProtWrite|ProtExec)
	if s := g.Run(&Run{From: g.start(0)}); s.Why != StopUnmodelled || s.Detail != "code made at run time" || s.PC != dataAt {
		t.Errorf("%+v", *s)
	}
	g = small(t, "nop\nmovl $1, _start(%rip)", 0)
	g.Protect(g.entry, 1, ProtRead|ProtWrite|ProtExec)
	if s := g.Run(&Run{From: g.start(0)}); s.Why != StopUnmodelled || s.Detail != "a store into code" || s.Insns != 1 || g.Read8(g.entry) != 0x90 {
		t.Errorf("%+v", *s)
	}
}

// The other mode has the same ways of stopping.
func TestI386(t *testing.T) {
	run := func(insn string, flags RunFlags) (*guest, *Stop) {
		g := load(t, "mov $7, %edx\n"+insn+"\nhlt\n", Config{Mode: I386})
		g.DeclareAllShared(true)
		return g, g.Run(&Run{From: g.start(0), Flags: flags, Allow: 1})
	}
	for _, c := range []struct {
		insn string
		why  Why
		trap Trap
		name string
	}{
		{"int $0x80", StopTrap, Trap{Vector: 0x80, Len: 2}, ""},
		{"sysenter", StopTrap, Trap{Sysenter: true, Len: 2}, ""},
		{"cli", StopPrivileged, Trap{Len: 1}, "cli"},
		{"iret", StopPrivileged, Trap{Len: 1}, "iret"},
		{"lcall $8, $0", StopUnmodelled, Trap{}, "far call or jump"},
		{"les (%ebx), %eax", StopUnmodelled, Trap{}, "load of a segment register"},
		{"vaddps %ymm0, %ymm0, %ymm0", StopUnmodelled, Trap{}, "AVX or BMI (a VEX prefix)"},
		{"inc %ecx", StopPrivileged, Trap{Len: 1}, "hlt"}, // 0x41, a prefix in 64-bit mode
	} {
		g, s := run(c.insn, 0)
		if s.Why != c.why || s.Trap != c.trap || s.Detail != c.name || s.Regs.RDX != 7 || s.Regs.RSP != stackAt+0x4000 {
			t.Errorf("%s on %s: %+v", c.insn, g.Version(), *s)
		}
	}
	if _, s := run("incl (%ebx)", StopShared); s.Why != StopAccess || !s.Half || s.PC != codeAt+5 {
		t.Errorf("split: %+v", *s)
	}
	if _, s := run("movl $1, 0xfffffffe", 0); s.Why != StopFault || s.Fault.Kind != FaultWrite {
		t.Errorf("end of the address space: %+v", *s)
	}
}

// The engine ends a run at hlt as if all were well: the machine stops before.
func TestHltEndsRun(t *testing.T) {
	cured(t, knobNoTraps, func(t *testing.T, k uint32) error {
		g := small(t, "hlt", k)
		if s := g.Run(&Run{From: g.start(0)}); s.Why != StopPrivileged || s.PC != g.entry {
			return fmt.Errorf("%+v", *s)
		}
		return nil
	})
}

// cpuid and rdtsc don't show the host.
func TestVirtualProcessor(t *testing.T) {
	read := func(t *testing.T, k uint32) string {
		g := small(t, `
	mov $1, %eax
	cpuid
	mov %rax, (%rbp)
	mov %rcx, 8(%rbp)
	mov %rdx, 16(%rbp)
	rdtsc
	mov %rax, 24(%rbp)
	mov %rdx, 32(%rbp)
	rdtscp
	mov %rax, 40(%rbp)
	mov %rcx, 48(%rbp)`, k)
		stop := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBP: dataAt})})
		s := stop.Detail + " "
		for i := range uint64(7) {
			s += fmt.Sprintf("%x ", g.Read64(dataAt+8*i))
		}
		return s
	}
	cured(t, knobHostCPU, func(t *testing.T, k uint32) error {
		if got, want := read(t, k), "hlt 663 2001 7888111 18 0 24 0 "; got != want {
			return fmt.Errorf("got %s, want %s", got, want)
		}
		return nil
	})
}

// A locked compare-and-exchange that fails reads; a store of what is there
// already writes.
func TestFailedCASAndSilentStore(t *testing.T) {
	g := small(t, "lock cmpxchgl %ecx, (%rbx)\n movl $1, 4(%rbx)", 0)
	g.Write64(dataAt, 1<<32|5)
	s := g.Run(&Run{From: g.start(0), Flags: StopShared, Allow: 9})
	if len(s.Accesses) != 2 || s.Accesses[0].IsWrite() || !s.Accesses[1].IsWrite() || s.Accesses[1].Flags&trace.Silent == 0 {
		t.Errorf("%s", events(s.Accesses))
	}
}

func poised(g *guest, c Ctx) trace.Access {
	a, _ := g.Poised(c)
	return a
}

// Whether it fails is a matter of the memory when it is executed.
func TestPoisedCAS(t *testing.T) {
	for _, insn := range []string{"lock cmpxchgl %ecx, (%rbx)", "lock cmpxchg8b (%rbx)", "lock cmpxchg16b (%rbx)", "nop\nlock cmpxchg16b (%rbx)"} {
		g := small(t, insn, 0)
		g.Write64(dataAt, 5)
		s := g.Run(&Run{From: g.start(0), Flags: StopShared})
		if s.Access.Flags != trace.Atomic|trace.FailedCAS || poised(g, s.Ctx).Flags != s.Access.Flags {
			t.Errorf("%s: poised: %+v", insn, s.Access)
		}
		g.Write32(dataAt, 0)
		if a := poised(g, s.Ctx); a.Flags != trace.Write|trace.Atomic|trace.RMW {
			t.Errorf("%s: poised after a store: %+v", insn, a)
		}
		s = g.Run(&Run{From: s.Ctx, Flags: StopShared, Allow: 1})
		if len(s.Accesses) != 1 || !s.Accesses[0].IsWrite() {
			t.Errorf("%s: executed: %s", insn, events(s.Accesses))
		}
	}
}
