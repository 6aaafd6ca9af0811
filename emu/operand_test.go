package emu

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// If a processor refuses an instruction with an operand in memory, the machine has
// to refuse it. The processor that the test runs on tells: the manuals leave it no
// choice.

// operandInsts are instructions with their operand at (%rbx), where the place of the
// prefix, of the kind and of the second operand each come in all variants.
func operandInsts() []string {
	var list []string
	add := func(format string, ops string) {
		for _, op := range strings.Fields(ops) {
			list = append(list, strings.ReplaceAll(format, "OP", op))
		}
	}
	const load, store = "OP (%rbx), %xmm0", "OP %xmm0, (%rbx)"
	add(load, `movups movupd movdqu lddqu movaps movapd movdqa movsldup movshdup movddup movss movsd movlps movlpd movhps movhpd movd movq
		unpcklps unpckhps unpcklpd unpckhpd andps andpd andnps andnpd orps orpd xorps xorpd
		addps addpd addss addsd mulps mulsd subpd subss minps minpd minss divpd divsd maxps maxpd maxsd sqrtps sqrtpd sqrtss sqrtsd rsqrtps rsqrtss rcpps rcpss
		ucomiss ucomisd comiss comisd cvtps2pd cvtpd2ps cvtss2sd cvtsd2ss cvtdq2ps cvtps2dq cvttps2dq cvtdq2pd cvtpd2dq cvttpd2dq
		haddps haddpd hsubps hsubpd addsubps addsubpd
		punpcklbw punpcklwd punpckldq packsswb pcmpgtb pcmpgtw pcmpgtd packuswb punpckhbw punpckhwd punpckhdq packssdw punpcklqdq punpckhqdq
		pcmpeqb pcmpeqw pcmpeqd psrlw psrld psrlq paddq pmullw psubusb psubusw pminub pand paddusb paddusw pmaxub pandn pavgb psraw psrad pavgw pmulhuw pmulhw
		psubsb psubsw pminsw por paddsb paddsw pmaxsw pxor psllw pslld psllq pmuludq pmaddwd psadbw psubb psubw psubd psubq paddb paddw paddd
		pshufb phaddw phaddd phaddsw pmaddubsw phsubw phsubd phsubsw psignb psignw psignd pmulhrsw pabsb pabsw pabsd
		pblendvb blendvps blendvpd ptest pmovsxbw pmovsxbd pmovsxbq pmovsxwd pmovsxdq pmovzxbw pmovzxwq pmuldq pcmpeqq movntdqa packusdw
		pcmpgtq pminsb pminsd pminuw pminud pmaxsb pmaxsd pmaxuw pmaxud pmulld phminposuw`)
	add(store, "movups movupd movdqu movaps movapd movdqa movntps movntpd movntdq movss movsd movlps movhps movhpd movlpd movd movq")
	add("OP $0, (%rbx), %xmm0", "cmpps cmppd cmpss cmpsd shufps shufpd pshufd pshufhw pshuflw palignr roundps roundpd roundss roundsd blendps blendpd pblendw "+
		"dpps dppd mpsadbw pinsrb pinsrw pinsrd insertps pcmpestri pcmpestrm pcmpistri pcmpistrm")
	add("OP $0, %xmm0, (%rbx)", "pextrb pextrw pextrd extractps")
	add("OP (%rbx), %mm0", "cvtps2pi cvttps2pi cvtpd2pi cvttpd2pi paddb movq punpcklbw pshufb pabsd")
	add("OP (%rbx), %xmm0", "cvtpi2ps cvtpi2pd")
	add("OP (%rbx)", "fxsave stmxcsr fnstcw fnstenv cmpxchg8b cmpxchg16b incl fldt fstpt clflush")
	add("OP (%rbx), %rax", "cvttsd2si cvtsd2si mov add lea")
	// A lock prefix on its own line: the assembler doesn't know what it belongs to.
	for _, size := range []string{"b %al, ", "l %eax, "} {
		op := "lock\nOP" + size + "(%rbx)"
		add(op, "add or adc sbb and sub xor cmp test mov xchg xadd cmpxchg")
		add(strings.ReplaceAll(op, size, size[:1]+" $1, "), "add or adc sbb and sub xor cmp test mov")
		add(strings.ReplaceAll(op, size, size[:1]+" "), "inc dec not neg mul shl")
	}
	add("lock\nOPl %eax, (%rbx)", "bt bts btr btc")
	add("lock\nOPl $1, (%rbx)", "bt bts btr btc shl")
	add("lock\nOP (%rbx), %eax", "add xor mov")
	add("lock\nOP", "nop ret cltq")
	add("lock\nOPl %eax, %ecx", "add xchg xadd cmpxchg") // bts: TestEngineAborts
	add("lock\nOP (%rbx)", "cmpxchg8b push pop jmp")
	return list
}

// operandOffsets are where the operand is, from an address of 64 bytes on.
var operandOffsets = []uint64{0, 8, 1}

const operandProgram = `#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf env;
static char memory[4096] __attribute__((aligned(64)));
static void caught(int s) { siglongjmp(env, s); }
extern int (*const table[])(void *);
int main(void) {
	static const int at[] = { 0, 8, 1 };
	signal(SIGSEGV, caught);
	signal(SIGILL, caught);
	for (int (*const *f)(void *) = table; *f; f++, putchar('\n'))
		for (int i = 0; i < 3; i++) {
			int s = sigsetjmp(env, 1);
			if (!s)
				(*f)(memory + 64 + at[i]);
			putchar(s == 0 ? '.' : s == SIGSEGV ? 'p' : s == SIGILL ? 'u' : '?');
		}
}
`

// onProcessor asks the processor of this machine about each instruction. It returns per
// offset '.' for done, p for a protection fault, u for an instruction that isn't one.
func onProcessor(t *testing.T, insts []string) []string {
	t.Helper()
	dir := t.TempDir()
	main, code, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "code.s"), filepath.Join(dir, "operands")
	text, table := "\t.text\n", "\t.data\n\t.globl table\ntable:\n"
	for i, inst := range insts {
		text += fmt.Sprintf("i%d:\tpush %%rbx\n\tmov %%rdi, %%rbx\n\tmov $1, %%eax\n\tmov $1, %%ecx\n\tmov $1, %%edx\n%s\n\temms\n\tpop %%rbx\n\tret\n", i, inst)
		table += fmt.Sprintf("\t.quad i%d\n", i)
	}
	for file, content := range map[string]string{main: operandProgram, code: text + table + "\t.quad 0\n"} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if msg, err := exec.Command("gcc", "-w", "-O1", "-no-pie", "-o", program, main, code).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, msg)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// onMachine asks the Machine the same.
func onMachine(t *testing.T, insts []string, knobs uint32) []string {
	t.Helper()
	text := ""
	for i, inst := range insts {
		text += fmt.Sprintf("i%d:\n%s\nhlt\n", i, inst)
	}
	g := small(t, text, knobs)
	all := make([]string, len(insts))
	for i := range insts {
		for _, at := range operandOffsets {
			s := g.Run(&Run{From: g.Start(&Regs{RIP: g.symbols[fmt.Sprintf("i%d", i)], RAX: 1, RCX: 1, RDX: 1, RBX: dataAt + 64 + at, RSP: stackAt + 0x1000, RFLAGS: 2})})
			switch {
			case s.Why == StopPrivileged:
				all[i] += "."
			case s.Why == StopFault && s.Fault.Kind == FaultProtection:
				all[i] += "p"
			case s.Why == StopFault && s.Fault.Kind == FaultIllegal:
				all[i] += "u"
			default:
				all[i] += "?"
			}
		}
	}
	return all
}

// TestOperandsOnTheProcessor: operands that aren't aligned, and lock prefixes, are
// refused as the processor refuses them.
func TestOperandsOnTheProcessor(t *testing.T) {
	insts := operandInsts()
	truth := onProcessor(t, insts)
	for _, knobs := range []uint32{0, knobNoGuard} {
		wrong := 0
		for i, got := range onMachine(t, insts, knobs) {
			if got != truth[i] {
				wrong++
				if knobs == 0 {
					t.Errorf("%s: %s, on this processor %s", strings.ReplaceAll(insts[i], "\n", " "), got, truth[i])
				}
			}
		}
		if knobs != 0 && wrong == 0 {
			t.Error("passes with its cure switched off")
		}
	}
}

// TestControlWords: exceptions of the floating-point unit and alignment checks aren't
// modelled, so a program can't switch them on.
func TestControlWords(t *testing.T) {
	for _, c := range []struct {
		inst   string
		word   uint32
		at     uint64 // of the word behind the operand's address
		refuse bool
	}{
		{"ldmxcsr (%rbx)", 0x1f80, 0, false},
		{"ldmxcsr (%rbx)", 0x7fc0, 0, false}, // takes tiny operands for zero, and rounds in another way
		{"ldmxcsr (%rbx)", 0x9f80, 0, true},  // flushes
		{"ldmxcsr (%rbx)", 0x1f00, 0, true},
		{"ldmxcsr (%rbx)", 0x0f80, 0, true},
		{"fldcw (%rbx)", 0x37f, 0, false},
		{"fldcw (%rbx)", 0x27f, 0, false},
		{"fldcw (%rbx)", 0x37b, 0, true},
		{"fldenv (%rbx)", 0x37f, 0, false},
		{"fldenv (%rbx)", 0x35f, 0, true},
		{"frstor (%rbx)", 0x37f, 0, false},
		{"frstor (%rbx)", 0x37e, 0, true},
		{"fxsave (%rbx)\nmovl $0x1f80, 24(%rbx)\nfxrstor (%rbx)", 0, 0, false},
		{"fxrstor (%rbx)", 0x1f80037f, 0, true}, // MXCSR is 0
		{"fxrstor (%rbx)", 0x1f80, 24, true},    // x87's is
		{"fxsave (%rbx)\nmovl $0x9f80, 24(%rbx)\nfxrstor (%rbx)", 0, 0, true},
		{"push (%rbx)\npopf", 0x202, 0, false},
		{"push (%rbx)\npopf", 0x40202, 0, true},
		{"pushw (%rbx)\npopfw", 0x40202, 0, false},
	} {
		check := func(t *testing.T, knobs uint32) error {
			g := small(t, c.inst, knobs)
			g.Write32(dataAt+64+c.at, c.word)
			s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RBX: dataAt + 64, RSP: stackAt + 0x1000, RFLAGS: 2})})
			if refused := s.Why == StopUnmodelled; refused != c.refuse || !refused && s.Why != StopPrivileged {
				return fmt.Errorf("%s, %#x: %v (%s, %+v)", c.inst, c.word, s.Why, s.Detail, s.Fault)
			}
			return nil
		}
		if c.refuse {
			cured(t, knobNoGuard, check)
		} else if err := check(t, 0); err != nil {
			t.Error(err)
		}
	}
}

// TestEngineAborts: code that the engine's translator aborts on ends the run, not landgo.
func TestEngineAborts(t *testing.T) {
	g := small(t, "nop\nlock\nbts %eax, %ecx", 0)
	for range 2 { // it isn't run again
		s := g.Run(&Run{From: g.start(0)})
		if s.Why != StopUnmodelled && !(s.Why == StopFault && s.Fault.Kind == FaultIllegal) {
			t.Errorf("%v (%s)", s.Why, s.Detail)
		}
	}
}

// TestStateSaved: fxsave and fxrstor have SSE's registers, as under a kernel that has
// programs use them.
func TestStateSaved(t *testing.T) {
	g := small(t, "movd %eax, %xmm3\nfxsave (%rbx)\npxor %xmm3, %xmm3\nfxrstor (%rbx)\nmovd %xmm3, %ecx", 0)
	s := g.Run(&Run{From: g.Start(&Regs{RIP: g.entry, RAX: 77, RBX: dataAt, RFLAGS: 2})})
	if s.Why != StopPrivileged || s.Regs.RCX != 77 || g.Bytes(dataAt+24, 2)[1] != 0x1f {
		t.Errorf("%v (%s), %d", s.Why, s.Detail, s.Regs.RCX)
	}
}
