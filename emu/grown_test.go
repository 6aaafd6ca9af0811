package emu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
)

// Numbers that may be greater than they are (x86.Grown), followed through random code: the machine
// runs it with the numbers as they are, and with greater ones.

// grownCode is random code that moves numbers about, adds to them and compares them.
func grownCode(r *rand.Rand, length int) string {
	wide := []string{"rax", "rcx", "rdx", "rbx", "rsi", "rdi", "r8", "r9"}
	half := []string{"eax", "ecx", "edx", "ebx", "esi", "edi", "r8d", "r9d"}
	conditions := []string{"a", "ae", "b", "be", "e", "ne", "g", "ge", "l", "le", "s", "ns", "o", "no", "p", "np"}
	var b strings.Builder
	b.WriteString("\tlea buf(%rip), %rbp\n")
	for range length {
		regs, suffix := half, "l"
		if r.Intn(3) == 0 {
			regs, suffix = wide, "q"
		}
		x, y := r.Intn(8), r.Intn(8)
		reg, other := "%"+regs[x], "%"+regs[y]
		word := fmt.Sprintf("%d(%%rbp)", 8*r.Intn(4))
		imm := []int{0, 1, 3, 6, 7, 40, -1, -5, 1 << 30, -1 << 31}[r.Intn(10)]
		source := []string{other, word, fmt.Sprintf("$%d", imm)}[r.Intn(3)]
		cc := conditions[r.Intn(len(conditions))]
		switch r.Intn(22) {
		case 0, 1, 2:
			fmt.Fprintf(&b, "\tcmp%s %s, %s\n\tj%s 1f\n1:\n", suffix, source, reg, cc)
		case 3:
			fmt.Fprintf(&b, "\tcmp%s $%d, %s\n\tset%s %%%s\n", suffix, imm, word, cc, []string{"al", "cl", "dl", "bl"}[r.Intn(4)])
		case 4:
			fmt.Fprintf(&b, "\tcmp%s %s, %s\n\tcmov%s %s, %s\n", suffix, source, other, cc, other, reg)
		case 5, 6:
			fmt.Fprintf(&b, "\tmov%s %s, %s\n", suffix, reg, word)
		case 7, 8:
			fmt.Fprintf(&b, "\tmov%s %s, %s\n", suffix, source, reg)
		case 9, 10:
			fmt.Fprintf(&b, "\t%s%s $%d, %s\n", []string{"add", "sub"}[r.Intn(2)], suffix, imm, []string{reg, word}[r.Intn(2)])
		case 11:
			fmt.Fprintf(&b, "\t%s%s %s, %s\n", []string{"add", "sub", "xor", "and", "imul"}[r.Intn(5)], suffix, source, reg)
		case 12:
			fmt.Fprintf(&b, "\t%s%s %s\n", []string{"inc", "dec", "neg"}[r.Intn(3)], suffix, []string{reg, word}[r.Intn(2)])
		case 13:
			fmt.Fprintf(&b, "\tlea %d(%%%s), %s\n", imm, wide[y], reg)
		case 14:
			fmt.Fprintf(&b, "\tlea %d(%%%s,%%%s,%d), %s\n", imm, wide[y], wide[r.Intn(8)], 1+r.Intn(2), reg)
		case 15:
			fmt.Fprintf(&b, "\tpush %%%s\n\tpop %%%s\n", wide[x], wide[y])
		case 16:
			fmt.Fprintf(&b, "\tpush %%%s\n\tcall 1f\n1:\tpop %%%s\n\tpop %%%s\n", wide[x], wide[r.Intn(8)], wide[y])
		case 17:
			fmt.Fprintf(&b, "\ttest%s %s, %s\n\tj%s 1f\n1:\n", suffix, reg, []string{reg, other}[r.Intn(2)], cc)
		case 18:
			fmt.Fprintf(&b, "\tmovslq %%%s, %%%s\n\tcltq\n", half[x], wide[y])
		case 19:
			fmt.Fprintf(&b, "\tmov%s %s, %s\n\txor%s %s, %s\n", suffix, reg, word, suffix, reg, reg)
		case 20:
			fmt.Fprintf(&b, "\tmovw %%%s, %s\n\tmovzbl %s, %%%s\n", []string{"ax", "cx"}[r.Intn(2)], word, word, half[y])
		case 21:
			fmt.Fprintf(&b, "\txchg%s %s, %s\n\tshl%s $1, %s\n", suffix, reg, other, suffix, []string{reg, word}[r.Intn(2)])
		}
	}
	b.WriteString("\thlt\n\t.bss\n\t.align 16\nbuf:\t.skip 64\n")
	return b.String()
}

// grownRun follows numbers from places in random code.
type grownRun struct {
	*guest
	random *rand.Rand
	buf    uint64
	kept   int // instructions that did the same with numbers
}

// grownMoment is the machine after an instruction, and what may be greater there.
type grownMoment struct {
	regs   Regs
	memory []byte // from buf on, and around the stack pointer
	x86.Grown
}

const (
	grownWords = 4
	grownFrame = 128 // bytes on either side of the first stack pointer
)

func (x *grownRun) memory(sp uint64) []byte {
	return append(bytes.Clone(x.Bytes(x.buf, 8*grownWords)), x.Bytes(sp-grownFrame, 2*grownFrame)...)
}

func (x *grownRun) number(addr, size uint64) uint64 {
	var b [8]byte
	x.Read(addr, b[:size])
	return binary.LittleEndian.Uint64(b[:])
}

// step runs one instruction.
func (x *grownRun) step(c Ctx, regs *Regs) (Ctx, bool) {
	r := Run{From: c, Flags: Solo, StopAt: 2}
	if regs != nil {
		r.Set, r.Regs = generalSet, *regs
	}
	s := x.Run(&r)
	return s.Ctx, s.Why == StopInsn
}

// try follows random numbers from a context on, for some instructions.
func (x *grownRun) try(c Ctx) error {
	mark := x.Mark()
	defer x.Rewind(mark)
	var g x86.Grown
	regs := x.Regs(c)
	sp := regs.RSP
	for i, p := range general(&regs) {
		if i == 6 || i == 7 || i > 9 { // rbp, rsp, and those that aren't used
			continue
		}
		switch *p = uint64(x.random.Intn(9)); x.random.Intn(6) {
		case 0, 1:
			g.Regs |= 1 << i
		case 2:
			g.Loose |= 1 << i
		}
	}
	for i := range uint64(grownWords) {
		var b [8]byte
		b[0] = byte(x.random.Intn(9))
		x.Write(x.buf+8*i, b[:])
		if x.random.Intn(3) == 0 {
			g.Words = append(g.Words, x86.GrownWord{Addr: x.buf + 8*i, Size: []uint64{4, 8}[x.random.Intn(2)], Loose: x.random.Intn(3) == 0})
		}
	}
	first := grownMoment{regs, nil, x86.Grown{Regs: g.Regs, Loose: g.Loose, Words: slices.Clone(g.Words)}}
	second := x.Mark()
	moments := x.follow(c, regs, &g, sp)
	for range 3 {
		x.Rewind(second)
		if err := x.repeat(c, &first, moments, sp); err != nil {
			return err
		}
	}
	return nil
}

// follow runs instructions as long as they do the same with greater numbers.
func (x *grownRun) follow(c Ctx, regs Regs, g *x86.Grown, sp uint64) (moments []grownMoment) {
	set := &regs
	for range 12 {
		code := x.Bytes(regs.RIP, x86.MaxInst)
		inst, _, err := x86.Decode(code, elffile.X86_64)
		if err != nil {
			return moments
		}
		var effects *x86.Effects
		if e, ok := x86.EffectsOf(code, elffile.X86_64); ok {
			effects = &e
		}
		numbers := g.Any()
		if !g.Step(&inst, effects, &regs, x.number) {
			return moments
		}
		var ok bool
		if c, ok = x.step(c, set); !ok {
			return moments
		}
		if set = nil; numbers {
			x.kept++
		}
		regs = x.Regs(c)
		now := *g
		now.Words = slices.Clone(g.Words)
		moments = append(moments, grownMoment{regs, x.memory(sp), now})
	}
	return moments
}

// repeat runs the same instructions with greater numbers.
func (x *grownRun) repeat(c Ctx, first *grownMoment, moments []grownMoment, sp uint64) error {
	greater := func(v uint64) uint64 {
		return []uint64{v, v + 1, v + uint64(x.random.Intn(40)), x86.Grows/2 - 40, x86.Grows / 2}[x.random.Intn(5)]
	}
	regs := first.regs
	for i, p := range general(&regs) {
		if first.Regs&(1<<i) != 0 {
			*p = greater(*p)
		}
		if first.Loose&(1<<i) != 0 {
			*p = x.random.Uint64() >> x.random.Intn(64)
		}
	}
	for _, w := range first.Words {
		v := greater(x.number(w.Addr, w.Size))
		if w.Loose {
			v = x.random.Uint64() >> x.random.Intn(64)
		}
		b := binary.LittleEndian.AppendUint64(nil, v)
		x.Write(w.Addr, b[:w.Size])
	}
	set := &regs
	for n := range moments {
		var ok bool
		if c, ok = x.step(c, set); !ok {
			return fmt.Errorf("instruction %d faults with greater numbers", n)
		}
		set = nil
		if err := moments[n].same(x.Regs(c), x.memory(sp), x.buf, sp); err != nil {
			return fmt.Errorf("instruction %d of %#x: %w", n, first.regs.RIP, err)
		}
	}
	return nil
}

// same compares a moment with the same one of a run with greater numbers.
func (m *grownMoment) same(regs Regs, memory []byte, buf, sp uint64) error {
	other := general(&regs)
	for i, r := range general(&m.regs) {
		if m.Loose&(1<<i) == 0 && *r != *other[i] && (m.Regs&(1<<i) == 0 || *other[i] < *r || *other[i] >= 1<<32) {
			return fmt.Errorf("register %d has %#x and %#x", i, *r, *other[i])
		}
	}
	if m.regs.RIP != regs.RIP {
		return fmt.Errorf("it goes on at %#x and %#x", m.regs.RIP, regs.RIP)
	}
	if !m.FlagsDiffer() && (m.regs.RFLAGS^regs.RFLAGS)&arithmetic != 0 {
		return fmt.Errorf("the flags are %#x and %#x", m.regs.RFLAGS, regs.RFLAGS)
	}
	for i := range memory {
		at := buf + uint64(i)
		if i >= 8*grownWords {
			at = sp - grownFrame + uint64(i-8*grownWords)
		}
		if memory[i] != m.memory[i] && !slices.ContainsFunc(m.Words, func(w x86.GrownWord) bool { return at >= w.Addr && at < w.Addr+w.Size }) {
			return fmt.Errorf("a byte at %#x is %d and %d", at, m.memory[i], memory[i])
		}
	}
	return nil
}

// TestGrown: what x86.Grown says holds on the machine.
func TestGrown(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	g := load(t, grownCode(random, 700), Config{})
	x := &grownRun{g, random, g.symbols["buf"], 0}
	tried, c := 0, x.start(0)
	for {
		s := x.Run(&Run{From: c, Flags: Solo, StopAt: 2})
		if s.Why != StopInsn {
			break
		}
		c = s.Ctx
		for range 12 {
			if err := x.try(c); err != nil {
				t.Fatal(err)
			}
			tried++
		}
	}
	t.Logf("%d instructions with numbers in %d runs", x.kept, tried)
	if tried < 5000 || x.kept < tried {
		t.Errorf("%d instructions with numbers in %d runs", x.kept, tried)
	}
}
