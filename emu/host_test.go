package emu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// The emulator and the processor of this machine, of any make, have to agree on
// everything that the manual defines, and on nothing else. The same program
// runs on both, and each instruction's results are compared.

// compared are the instructions, with what goes before in the same run.
func comparedInsts() []string {
	var list []string
	add := func(format string, ops ...string) {
		for _, op := range ops {
			list = append(list, strings.ReplaceAll(format, "OP", op))
		}
	}
	two := []string{"add", "sub", "adc", "sbb", "and", "or", "xor", "cmp", "test", "xadd", "cmpxchg"}
	one := []string{"inc", "dec", "neg", "not", "mul", "imul"}
	shifts := []string{"shl", "shr", "sar", "rol", "ror", "rcl", "rcr"}
	bits := []string{"bt", "bts", "btr", "btc"}
	for _, s := range []struct{ suffix, a, b string }{{"q", "%rax", "%rbx"}, {"l", "%eax", "%ebx"}, {"w", "%ax", "%bx"}, {"b", "%al", "%bh"}} {
		add("OP"+s.suffix+" "+s.b+", "+s.a, two...)
		add("OP"+s.suffix+" "+s.b+", scratch(%rip)", two...)
		add("OP"+s.suffix+" "+s.b, one...)
		add("OP"+s.suffix+" scratch(%rip)", one...)
		add("OP"+s.suffix+" "+s.a, shifts...)
		add("OP"+s.suffix+" %cl, "+s.a, shifts...)
		add("OP"+s.suffix+" $3, scratch(%rip)", shifts...)
		add("OP"+s.suffix+" $3, scratch(%rip)", "add", "sbb", "test", "cmp", "mov")
		for _, n := range []string{"$1", "$7", "$31"} {
			add("OP"+s.suffix+" "+n+", "+s.b, shifts...)
		}
		// Divisors that aren't 0, of a dividend that isn't too large.
		if s.suffix != "b" {
			add("xorl %edx, %edx; or"+s.suffix+" $1, "+s.b+"; OP"+s.suffix+" "+s.b, "div")
			add("andl $0x7f, %eax; xorl %edx, %edx; or"+s.suffix+" $1, "+s.b+"; OP"+s.suffix+" "+s.b, "idiv")
			add("OP"+s.suffix+" "+s.b+", "+s.a, bits...)
			add("OP"+s.suffix+" $5, scratch(%rip)", bits...)
			add("OP"+s.suffix+" $5, scratch(%rip), "+s.a, "imul")
			add("leaq scratch(%rip), %rsi; OP"+s.suffix+" $5, "+s.b+", (%rsi)", "shld", "shrd")
			add("OP"+s.suffix+" $5, "+s.b+", "+s.a, "shld", "shrd", "imul")
			add("OP"+s.suffix+" $1, "+s.b+", "+s.a, "shld", "shrd")
			add("OP"+s.suffix+" "+s.b+", "+s.a, "imul")
		}
	}
	for _, s := range []struct{ suffix, a, b string }{{"q", "%rax", "%rbx"}, {"l", "%eax", "%ebx"}} {
		add("OP"+s.suffix+" %cl, "+s.b+", "+s.a, "shld", "shrd")
		add("or"+s.suffix+" $8, "+s.b+"; OP"+s.suffix+" "+s.b+", "+s.a, "bsf", "bsr")
		add("OP "+s.b+", "+s.a, "popcnt", "lzcnt", "tzcnt")
		add("OP scratch(%rip), "+s.a, "popcnt", "lzcnt", "tzcnt", "movbe")
		add("OP "+s.b+", scratch(%rip)", "movbe")
	}
	for _, cc := range strings.Fields("a ae b be e g ge l le ne no np ns o p s") {
		add("OP"+cc+" %al", "set")
		add("OP"+cc+"q %rbx, %rax", "cmov")
	}
	add("OP", "clc", "stc", "cmc", "cqto", "cltd", "cltq", "cwtl", "cbtw", "bswapq %rax", "bswapl %ebx",
		"movzbl %bh, %eax", "movsbq %bl, %rax", "movslq %ebx, %rax", "leal 5(%rax,%rbx,4), %esi", "leaw 5(%rax,%rbx,4), %si",
		"cmpxchgl %ebx, %esi", "movl %eax, %esi; cmpxchgl %ebx, %esi", "movl %eax, scratch(%rip); cmpxchgl %ebx, scratch(%rip)",
		"lock cmpxchgl %ebx, scratch(%rip)", "movl %eax, scratch(%rip); lock cmpxchgl %ebx, scratch(%rip)",
		"xchgw %ax, %bx", "xchgb %al, %bh", "cmpxchg8b scratch(%rip)", "crc32q %rbx, %rax", "crc32b %bl, %eax",
		"popcnt %bx, %ax", "lzcnt %bx, %ax", "tzcnt %bx, %ax", "movbe scratch(%rip), %ax", "movbe %bx, scratch(%rip)")
	return list
}

// inputs are the states that each begins with: rax, rbx, rcx, rdx, rsi, scratch, flags.
func hostInputs() string {
	random := rand.New(rand.NewSource(2))
	value := func() uint64 {
		switch v := random.Uint64(); random.Intn(4) {
		case 0:
			return v % 70
		case 1:
			return -(v % 3)
		case 2:
			return 1 << (v % 64)
		default:
			return v
		}
	}
	counts := []uint64{0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255}
	s := ""
	for i := range 32 {
		s += fmt.Sprintf("\t.quad %#x, %#x, %#x, %#x, %#x, %#x, %#x\n", value(), value(), counts[i%len(counts)],
			value(), value(), value(), random.Uint64()&arithmetic|2)
	}
	return s
}

var hostRegs = []string{"rax", "rbx", "rcx", "rdx", "rsi", "scratch", "flags"}

// hostProgram runs each on each input, and writes what it leaves to stdout.
func hostProgram(list []string) string {
	s := "\tleaq left(%rip), %r12\n"
	for i, code := range list {
		insts := strings.Split(code, ";")
		insts[len(insts)-1] = fmt.Sprintf("inst%d:\t%s", i, insts[len(insts)-1])
		s += `	leaq inputs(%rip), %rbp
1:	movq (%rbp), %rax
	movq 8(%rbp), %rbx
	movq 16(%rbp), %rcx
	movq 24(%rbp), %rdx
	movq 40(%rbp), %rsi
	movq %rsi, scratch(%rip)
	movq 32(%rbp), %rsi
	pushq 48(%rbp)
	popfq
` + strings.Join(insts, "\n") + `
	pushfq
	movq %rax, (%r12)
	movq %rbx, 8(%r12)
	movq %rcx, 16(%r12)
	movq %rdx, 24(%r12)
	movq %rsi, 32(%r12)
	movq scratch(%rip), %rax
	movq %rax, 40(%r12)
	popq 48(%r12)
	addq $56, %r12
	addq $56, %rbp
	leaq inputs_end(%rip), %rax
	cmpq %rax, %rbp
	jb 1b
`
	}
	return s + `	movl $1, %eax
	movl $1, %edi
	leaq left(%rip), %rsi
	movq %r12, %rdx
	subq %rsi, %rdx
	syscall
	movl $231, %eax
	xorl %edi, %edi
	syscall
	.data
inputs:
` + hostInputs() + `inputs_end:
scratch: .quad 0
	.lcomm left, 0xe0000
	.section .note.GNU-stack, "", @progbits
`
}

func TestLikeTheHost(t *testing.T) {
	list := comparedInsts()
	source := hostProgram(list)
	g := load(t, source, Config{})
	g.Protect(dataAt+dataSize, stackAt-dataAt-dataSize, ProtRead|ProtWrite)
	s := g.Run(&Run{From: g.start(0), Flags: Solo, Budget: 1e7})
	if s.Why != StopTrap || !s.Trap.Syscall {
		t.Fatalf("the program stopped for %v (%s) at %#x", s.Why, s.Detail, s.PC)
	}
	left := bytes.Clone(g.Bytes(g.symbols["left"], s.Regs.RDX))
	host, err := exec.Command(build(t, source, X86_64)).Output()
	if err != nil || len(host) != len(left) || len(left)%(56*len(list)) != 0 {
		t.Fatalf("%d bytes on the machine, %d here: %v", len(left), len(host), err)
	}
	runs, differ, open := len(left)/56/len(list), 0, map[string]bool{}
	for i, code := range list {
		inst := g.Bytes(g.symbols[fmt.Sprintf("inst%d", i)], x86.MaxInst)
		undefined := uint64(x86.Undefined(inst, elffile.X86_64))
		if _, ok := x86.EffectsOf(inst, elffile.X86_64); !ok {
			t.Fatalf("%s isn't in the table of effects", code)
		}
		for run := range runs {
			at := (i*runs + run) * 56
			for k, name := range hostRegs {
				emulated, real := binary.LittleEndian.Uint64(left[at+8*k:]), binary.LittleEndian.Uint64(host[at+8*k:])
				if name == "flags" {
					if differing := (emulated ^ real) & undefined; differing != 0 {
						open[code] = true
					}
					emulated, real = emulated&arithmetic&^undefined, real&arithmetic&^undefined
				}
				if emulated != real {
					differ++
					t.Errorf("%s: input %d: %s is %#x on the machine, %#x here", code, run, name, emulated, real)
					break
				}
			}
			if differ > 30 {
				t.Fatal("too many")
			}
		}
	}
	t.Logf("%d instructions, %d inputs; undefined flags that differ here: %d", len(list), runs, len(open))
}
