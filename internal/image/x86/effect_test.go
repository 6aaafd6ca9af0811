package x86

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/trace"

	"golang.org/x/arch/x86/x86asm"
)

// arithmetic are the flags that Effects are about.
const arithmetic = uint64(abi.Arithmetic)

// generalRegs are a traced thread's registers in trace.RegSet's order.
func generalRegs(r *syscall.PtraceRegs) [16]*uint64 {
	return [16]*uint64{&r.Rax, &r.Rbx, &r.Rcx, &r.Rdx, &r.Rsi, &r.Rdi, &r.Rbp, &r.Rsp,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15}
}

// experiment is one instruction's run, to be checked after it.
type experiment struct {
	text   string
	e      Effects
	open   Flags // Undefined
	before syscall.PtraceRegs
	// other is the result with all registers and flags changed that e doesn't
	// say are read; nil for instructions that write memory.
	other *syscall.PtraceRegs
}

// check compares the results.
func (x *experiment) check(after *syscall.PtraceRegs) error {
	before, now := generalRegs(&x.before), generalRegs(after)
	for i := range now {
		bit := trace.RegSet(1) << i
		if (x.e.Writes|x.e.Reads)&bit == 0 && *now[i] != *before[i] {
			return fmt.Errorf("register %d changed", i)
		}
		if x.other == nil {
			continue
		}
		if other := generalRegs(x.other); x.e.Writes&bit != 0 && *now[i] != *other[i] {
			return fmt.Errorf("register %d depends on what isn't read: %#x or %#x", i, *now[i], *other[i])
		}
	}
	if !x.e.WritesFlags && !x.e.ReadsFlags && (after.Eflags^x.before.Eflags)&arithmetic != 0 {
		return fmt.Errorf("flags changed")
	}
	if x.other != nil {
		if after.Rip != x.other.Rip {
			return fmt.Errorf("where it goes depends on what isn't read")
		}
		// Results that the manual leaves undefined are this processor's, not
		// the emulator's: package emu's tests have those.
		defined := arithmetic &^ uint64(x.open)
		if x.e.WritesFlags && (after.Eflags^x.other.Eflags)&defined != 0 {
			return fmt.Errorf("flags depend on what isn't read: %#x or %#x", after.Eflags&defined, x.other.Eflags&defined)
		}
	}
	return nil
}

// writesMemory: running it twice isn't running it once.
func writesMemory(inst *x86asm.Inst) bool {
	switch inst.Op {
	case x86asm.PUSH, x86asm.PUSHFQ, x86asm.CALL, x86asm.MOVSB, x86asm.STOSW, x86asm.STOSD:
		return true
	}
	_, isMem := inst.Args[0].(x86asm.Mem)
	uses := shapes[inst.Op].operands
	return isMem && uses != "" && strings.ContainsAny(uses[:1], "wmc")
}

// TestEffectsOnTheProcessor runs the instructions of insts.S on the real
// processor, each twice: as it is, and with everything changed that the table
// says it doesn't read. The written registers and flags must be the same, as
// far as the manual defines them.
func TestEffectsOnTheProcessor(t *testing.T) {
	f := open(t, "gcc", filepath.Join("..", "..", "..", "testdata", "insts.S"), "-static")
	main, _ := f.Symbol("main")
	covered := map[x86asm.Op]bool{}
	var last *experiment
	status := imagetest.Steps(t, f.Path, func(tr *imagetest.Tracee, tid int, regs *syscall.PtraceRegs, _ int) {
		if last != nil {
			if err := last.check(regs); err != nil {
				t.Errorf("%#x: %s: %v; said %+v", last.before.Rip, last.text, err, last.e)
			}
			last = nil
		}
		if regs.Rip < main.Addr || regs.Rip >= main.Addr+main.Size {
			return
		}
		code := f.Bytes(regs.Rip, MaxInst)
		inst, _, err := Decode(code, elffile.X86_64)
		if err == nil && inst.Op == x86asm.CPUID {
			// A hypervisor carries it out, and some lose the trap behind it: it is passed over.
			covered[inst.Op] = true
			regs.Rip += uint64(inst.Len)
			if err := syscall.PtraceSetRegs(tid, regs); err != nil {
				t.Fatal(err)
			}
			code = f.Bytes(regs.Rip, MaxInst)
			inst, _, err = Decode(code, elffile.X86_64)
		}
		if err != nil {
			t.Fatalf("%#x: %v", regs.Rip, err)
		}
		e, ok := EffectsOf(code, elffile.X86_64)
		if !ok {
			t.Errorf("%#x: %v isn't in the table", regs.Rip, inst)
			return
		}
		covered[inst.Op] = true
		text, _, _ := Inst(f, code, regs.Rip)
		last = &experiment{text: text, e: e, open: undefined(&inst), before: *regs}
		if !writesMemory(&inst) {
			last.other = perturbed(t, tid, *regs, e)
			if !ReadsFlags(inst.Op) && differ(perturbed(t, tid, *regs, Effects{Reads: 1<<16 - 1, ReadsFlags: true}), perturbed(t, tid, *regs, Effects{Reads: 1<<16 - 1})) {
				t.Errorf("%#x: %s: it depends on flags", regs.Rip, text)
			}
		}
	})
	if status != 0 {
		t.Errorf("the program ended with %#x", status)
	}
	checkCoverage(t, covered)
}

// perturbed runs the instruction with what it doesn't read changed, and puts
// the thread back.
func perturbed(t *testing.T, tid int, regs syscall.PtraceRegs, e Effects) *syscall.PtraceRegs {
	before := regs
	for i, r := range generalRegs(&regs) {
		if e.Reads&(1<<i) == 0 {
			*r = ^*r
		}
	}
	if !e.ReadsFlags {
		regs.Eflags ^= arithmetic
	}
	after := &syscall.PtraceRegs{}
	var status syscall.WaitStatus
	steps := []func() error{
		func() error { return syscall.PtraceSetRegs(tid, &regs) },
		func() error { return syscall.PtraceSingleStep(tid) },
		func() error { _, err := syscall.Wait4(tid, &status, syscall.WALL, nil); return err },
		func() error { return syscall.PtraceGetRegs(tid, after) },
		func() error { return syscall.PtraceSetRegs(tid, &before) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if status.StopSignal() != syscall.SIGTRAP {
		t.Errorf("%#x: %v when what isn't read is changed", before.Rip, status.StopSignal())
	}
	return after
}

// differ reports whether an instruction's results differ in more than flags.
func differ(a, b *syscall.PtraceRegs) bool {
	x, y := generalRegs(a), generalRegs(b)
	for i := range x {
		if *x[i] != *y[i] {
			return true
		}
	}
	return a.Rip != b.Rip
}

// checkCoverage wants each opcode of the table tried, but for vector ones,
// whose general registers are of a few kinds only.
func checkCoverage(t *testing.T, covered map[x86asm.Op]bool) {
	exempt := map[x86asm.Op]bool{
		// Not instructions of 64-bit code.
		x86asm.JCXZ: true, x86asm.PUSHF: true, x86asm.PUSHFD: true, x86asm.PUSHAD: true, x86asm.POPAD: true,
		// Variants of one that is tried.
		x86asm.PREFETCHT1: true, x86asm.PREFETCHT2: true, x86asm.PREFETCHW: true,
		x86asm.MOVSW: true, x86asm.MOVSD: true, x86asm.MOVSQ: true, x86asm.STOSB: true, x86asm.STOSQ: true,
	}
	for _, op := range append(append([]x86asm.Op{}, vectorMoves...), vectorCompares...) {
		exempt[op] = true
	}
	var missing []string
	for op := range shapes {
		if !covered[op] && !exempt[op] {
			missing = append(missing, op.String())
		}
	}
	sort.Strings(missing)
	if len(missing) > 0 {
		t.Errorf("opcodes never tried: %v", missing)
	}
}

func TestEffects(t *testing.T) {
	const none = trace.RegSet(0)
	for _, tc := range []struct {
		text   string
		code   string // hex
		reads  trace.RegSet
		writes trace.RegSet
		flags  string // r: reads, w: writes
	}{
		{"mov (%rdi),%eax", "8b07", trace.RDI, trace.RAX, ""},
		{"mov (%rdi),%al", "8a07", trace.RDI | trace.RAX, none, ""},
		{"mov (%rdi),%ax", "668b07", trace.RDI | trace.RAX, none, ""},
		{"movzbl (%rdi),%eax", "0fb607", trace.RDI, trace.RAX, ""},
		{"mov %rax,8(%rsp,%rcx,4)", "4889448c08", trace.RAX | trace.RSP | trace.RCX, none, ""},
		{"lea 4(%rax,%rbx),%rcx", "488d4c1804", trace.RAX | trace.RBX, trace.RCX, ""},
		{"xor %eax,%eax", "31c0", none, trace.RAX, "w"},
		{"xor %al,%al", "30c0", trace.RAX, none, "w"},
		{"xor %ebx,%eax", "31d8", trace.RAX | trace.RBX, trace.RAX, "w"},
		{"sbb %eax,%eax", "19c0", none, trace.RAX, "rw"},
		{"cmp (%rdi),%eax", "3b07", trace.RDI | trace.RAX, none, "w"},
		{"test %eax,%eax", "85c0", trace.RAX, none, "w"},
		{"xchg %eax,(%rdi)", "8707", trace.RDI | trace.RAX, trace.RAX, ""},
		{"lock cmpxchg %edx,(%rdi)", "f00fb117", trace.RDI | trace.RAX | trace.RDX, none, "w"},
		{"lock xadd %eax,(%rdi)", "f00fc107", trace.RDI | trace.RAX, trace.RAX, "w"},
		{"lock incl (%rdi)", "f0ff07", trace.RDI, none, "rw"[:1]},
		{"jne", "75f0", none, none, "r"},
		{"jmp *%rax", "ffe0", trace.RAX, none, ""},
		{"notrack jmp *%rax", "3effe0", trace.RAX, none, ""},
		{"sete %al", "0f94c0", trace.RAX, none, "r"},
		{"cmove %rbx,%rax", "480f44c3", trace.RAX | trace.RBX, trace.RAX, "r"},
		{"push %rbp", "55", trace.RBP | trace.RSP, trace.RSP, ""},
		{"pop %rbp", "5d", trace.RSP, trace.RSP | trace.RBP, ""},
		{"call", "e800000000", trace.RSP, trace.RSP, ""},
		{"ret", "c3", trace.RSP, trace.RSP, ""},
		{"leave", "c9", trace.RBP, trace.RBP | trace.RSP, ""},
		{"mul %rbx", "48f7e3", trace.RAX | trace.RBX, trace.RAX | trace.RDX, "w"},
		{"mul %bl", "f6e3", trace.RAX | trace.RBX, none, "w"},
		{"div %ebx", "f7f3", trace.RAX | trace.RBX | trace.RDX, trace.RAX | trace.RDX, "r"},
		{"cqto", "4899", trace.RAX, trace.RDX, ""},
		{"shl %cl,%eax", "d3e0", trace.RAX | trace.RCX, trace.RAX, "r"},
		{"shl $3,%eax", "c1e003", trace.RAX, trace.RAX, "w"},
		{"shl $32,%eax", "c1e020", trace.RAX, trace.RAX, "r"},
		{"rep stos %rax,(%rdi)", "f348ab", trace.RAX | trace.RCX | trace.RDI, trace.RCX | trace.RDI, ""},
		{"stos %eax,(%rdi)", "ab", trace.RAX | trace.RDI, trace.RDI, ""},
		{"repz cmpsb", "f3a6", trace.RSI | trace.RDI | trace.RCX, trace.RSI | trace.RDI | trace.RCX, "r"},
		{"pause", "f390", none, none, ""},
		{"endbr64", "f30f1efa", none, none, ""},
		{"nopw 0(%rax,%rax)", "660f1f440000", none, none, ""},
		{"mfence", "0faef0", none, none, ""},
	} {
		e, ok := EffectsOf(unhex(tc.code), elffile.X86_64)
		flags := ""
		if e.ReadsFlags {
			flags += "r"
		}
		if e.WritesFlags {
			flags += "w"
		}
		if !ok || e.Reads != tc.reads || e.Writes != tc.writes || flags != tc.flags || e.Vector {
			t.Errorf("%s: %+v %v", tc.text, e, ok)
		}
	}
}

func TestNoEffectsKnown(t *testing.T) {
	for name, code := range map[string]string{
		"syscall": "0f05", "int $0x41": "cd41", "rdtsc": "0f31", "rdrand": "0fc7f0", "hlt": "f4", "cli": "fa",
		"x87": "d9c0", "vzeroupper": "c5f877", "vex": "c5f96f00", "evex": "62f17c481000", "mov to cr": "0f22c0",
		"std": "fd", "prefix only": "f3", "nothing": "",
	} {
		if e, ok := EffectsOf(unhex(code), elffile.X86_64); ok {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

// TestUndefinedFlags has one instruction for each row and each case of the
// manual's table of flags that may be undefined.
func TestUndefinedFlags(t *testing.T) {
	for _, tc := range []struct {
		text string
		code string // hex
		want Flags
	}{
		{"and %ebx,%eax", "21d8", abi.AF},
		{"test %eax,%eax", "85c0", abi.AF},
		{"xor %eax,%eax", "31c0", abi.AF},
		{"or %eax,%eax", "09c0", abi.AF},
		{"add %ebx,%eax", "01d8", 0},
		{"inc %eax", "ffc0", 0},
		{"cmpxchg %edx,(%rdi)", "0fb117", 0},
		{"mul %rbx", "48f7e3", abi.SF | abi.ZF | abi.AF | abi.PF},
		{"imul %ebx,%esi", "0faff3", abi.SF | abi.ZF | abi.AF | abi.PF},
		{"imul $7,%ebx,%edi", "6bfb07", abi.SF | abi.ZF | abi.AF | abi.PF},
		{"div %ebx", "f7f3", abi.Arithmetic},
		{"idiv %ebx", "f7fb", abi.Arithmetic},
		{"bt %eax,%ebx", "0fa3c3", abi.OF | abi.SF | abi.AF | abi.PF},
		{"bsf %eax,%ebx", "0fbcd8", abi.CF | abi.OF | abi.SF | abi.AF | abi.PF},
		{"tzcnt %eax,%ebx", "f30fbcd8", abi.OF | abi.SF | abi.AF | abi.PF},
		{"popcnt %eax,%ebx", "f30fb8d8", 0},
		{"shl $0,%eax", "c1e000", 0},
		{"shl $32,%eax", "c1e020", 0},
		{"shl $32,%rax", "48c1e020", abi.AF | abi.OF},
		{"shl %eax", "d1e0", abi.AF},
		{"sar %al", "d0f8", abi.AF},
		{"shr $3,%eax", "c1e803", abi.AF | abi.OF},
		{"shl %cl,%eax", "d3e0", abi.AF | abi.OF},
		{"shl $7,%al", "c0e007", abi.AF | abi.OF},
		{"shl $8,%al", "c0e008", abi.AF | abi.OF | abi.CF},
		{"shr $16,%ax", "66c1e810", abi.AF | abi.OF | abi.CF},
		{"sar $16,%ax", "66c1f810", abi.AF | abi.OF},
		{"shr %cl,%al", "d2e8", abi.AF | abi.OF | abi.CF},
		{"sar %cl,%al", "d2f8", abi.AF | abi.OF},
		{"shlb $9,(%rdi)", "c02709", abi.AF | abi.OF | abi.CF},
		{"rol %eax", "d1c0", 0},
		{"rol $0,%eax", "c1c000", 0},
		{"rcr $3,%eax", "c1d803", abi.OF},
		{"ror %cl,%eax", "d3c8", abi.OF},
		{"shld $1,%eax,%ebx", "0fa4c301", abi.AF},
		{"shld $5,%eax,%ebx", "0fa4c305", abi.AF | abi.OF},
		{"shld $32,%eax,%ebx", "0fa4c320", 0},
		{"shrd %cl,%eax,%ebx", "0fadc3", abi.AF | abi.OF},
		{"shld $16,%ax,%bx", "660fa4c310", abi.AF | abi.OF},
		{"shld $17,%ax,%bx", "660fa4c311", abi.Arithmetic},
		{"shrd %cl,%ax,%bx", "660fadc3", abi.Arithmetic},
	} {
		if _, ok := EffectsOf(unhex(tc.code), elffile.X86_64); !ok {
			t.Errorf("%s isn't in the table of effects", tc.text)
		}
		if got := Undefined(unhex(tc.code), elffile.X86_64); got != tc.want {
			t.Errorf("%s: undefined %#x, want %#x", tc.text, got, tc.want)
		}
	}
	for op := range undefinedFlags {
		if s, ok := shapes[op]; !ok || s.flags == keepsFlags || s.flags == readsFlags {
			t.Errorf("%v leaves flags undefined, but writes none by the table of effects", op)
		}
	}
}

func TestModifies(t *testing.T) {
	for code, want := range map[string]bool{
		"\x83\x03\x01":         true,  // addl $1, (%rbx)
		"\xf0\xff\x03":         true,  // lock incl (%rbx)
		"\x87\x03":             true,  // xchg %eax, (%rbx)
		"\x0f\xb1\x0b":         true,  // cmpxchg %ecx, (%rbx)
		"\xf7\x1b":             true,  // negl (%rbx)
		"\x03\x03":             false, // add (%rbx), %eax
		"\x3b\x03":             false, // cmp (%rbx), %eax
		"\x39\x03":             false, // cmp %eax, (%rbx)
		"\x89\x03":             false, // mov %eax, (%rbx)
		"\x0f\x44\x03":         false, // cmove (%rbx), %eax
		"\xff\x33":             false, // push (%rbx)
		"\x01\xd8":             false, // add %ebx, %eax
		"\x0f\xc7\x0b":         true,  // cmpxchg8b (%rbx)
		"\x48\x0f\xba\x2b\x05": true,  // btsq $5, (%rbx)
	} {
		if got := Modifies([]byte(code), elffile.X86_64); got != want {
			t.Errorf("% x: %v, want %v", code, got, want)
		}
	}
}
