package emu

import (
	"bytes"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// The table of effects (package image) describes the machine, not any maker's
// processor. Each of its instructions is run here, from many states. It is run
// again with everything changed that it doesn't read by the table.

const (
	statesPerInst  = 24
	changesPer     = 4
	arithmetic     = uint64(abi.Arithmetic)
	generalSet     = trace.RAX*0x10000 - trace.RAX
	stackSeen      = 64 // bytes on either side of the stack pointer that are compared
	effectsDataLen = 256
)

// effects runs the instructions of a file of image's tests on the machine.
type effects struct {
	*guest
	elffile.Machine
	mask   uint64 // of a register
	random *rand.Rand
	ran    int
}

// outcome is an instruction's effect.
type outcome struct {
	regs   Regs
	memory []byte
	ctx    Ctx
}

// step runs one instruction from c with these registers; false if it doesn't end,
// as when it faults.
func (x *effects) step(c Ctx, regs *Regs) (outcome, bool) {
	s := x.Run(&Run{From: c, Flags: Solo, StopAt: 2, Set: generalSet | trace.RFLAGS, Regs: *regs})
	if s.Why != StopInsn || s.Insns != 1 {
		return outcome{}, false
	}
	memory := bytes.Clone(x.Bytes(dataAt, effectsDataLen))
	memory = append(memory, x.Bytes(stackAt+0x1000*4-stackSeen, 2*stackSeen)...)
	return outcome{x.Regs(s.Ctx), memory, s.Ctx}, true
}

// general are the registers in RegMask's order.
func general(r *Regs) [16]*uint64 {
	return [16]*uint64{&r.RAX, &r.RBX, &r.RCX, &r.RDX, &r.RSI, &r.RDI, &r.RBP, &r.RSP,
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15}
}

// value is a register's: small and extreme ones are as likely as any other.
func (x *effects) value() uint64 {
	v := x.random.Uint64()
	switch x.random.Intn(4) {
	case 0:
		v %= 70
	case 1:
		v = -(v % 3)
	case 2:
		v = 1 << (v % 64)
	}
	return v & x.mask
}

// changed has new values in all registers that aren't in keep, and new flags if
// flags says so.
func (x *effects) changed(regs Regs, keep trace.RegSet, flags bool) Regs {
	for i, r := range general(&regs) {
		if keep&(1<<i) == 0 && (i < 8 || x.Machine == elffile.X86_64) {
			*r = x.value()
		}
	}
	if flags {
		regs.RFLAGS = regs.RFLAGS&^arithmetic | x.random.Uint64()&arithmetic
	}
	return regs
}

// keeps tells what an instruction changed although it says that it doesn't.
func keeps(e x86.Effects, before, after *Regs) error {
	old := general(before)
	for i, r := range general(after) {
		if (e.Reads|e.Writes)&(1<<i) == 0 && *r != *old[i] {
			return fmt.Errorf("register %d changed", i)
		}
	}
	if !e.ReadsFlags && !e.WritesFlags && (before.RFLAGS^after.RFLAGS)&arithmetic != 0 {
		return fmt.Errorf("flags changed")
	}
	return nil
}

// same tells where two outcomes differ that may not.
func sameEffects(e x86.Effects, a, b *outcome) error {
	other := general(&b.regs)
	for i, r := range general(&a.regs) {
		if e.Writes&(1<<i) != 0 && *r != *other[i] {
			return fmt.Errorf("register %d depends on what isn't read: %#x or %#x", i, *r, *other[i])
		}
	}
	switch {
	case e.WritesFlags && (a.regs.RFLAGS^b.regs.RFLAGS)&arithmetic != 0:
		return fmt.Errorf("flags depend on what isn't read: %#x or %#x", a.regs.RFLAGS&arithmetic, b.regs.RFLAGS&arithmetic)
	case a.regs.RIP != b.regs.RIP:
		return fmt.Errorf("where it goes depends on what isn't read")
	case e.Reads&trace.RSP == 0 && !bytes.Equal(a.memory[:effectsDataLen], b.memory[:effectsDataLen]),
		e.Reads&trace.RSP != 0 && !bytes.Equal(a.memory, b.memory):
		return fmt.Errorf("what it stores depends on what isn't read")
	}
	return nil
}

// try runs the instruction at a state, and with changes.
func (x *effects) try(c Ctx, e x86.Effects, regs Regs) error {
	mark := x.Mark()
	defer x.Rewind(mark)
	a, ok := x.step(c, &regs)
	if !ok {
		return nil // it faults there
	}
	x.ran++
	if err := keeps(e, &regs, &a.regs); err != nil {
		return err
	}
	for range changesPer {
		x.Rewind(mark)
		changed := x.changed(regs, e.Reads, !e.ReadsFlags)
		b, ok := x.step(c, &changed)
		if !ok {
			return fmt.Errorf("whether it faults depends on what isn't read")
		}
		if err := sameEffects(e, &a, &b); err != nil {
			return err
		}
	}
	return nil
}

// inst tries one instruction, from the state that the program has there and from
// others.
func (x *effects) inst(c Ctx, e x86.Effects) error {
	regs := x.Regs(c)
	before := x.ran
	if err := x.try(c, e, regs); err != nil {
		return err
	}
	if x.ran == before {
		return fmt.Errorf("it doesn't run")
	}
	for n := range statesPerInst {
		// Every other state leaves what holds addresses.
		keep := trace.RSP
		if n%2 == 0 {
			keep |= trace.RSI | trace.RDI | trace.RCX
		}
		if err := x.try(c, e, x.changed(regs, keep, true)); err != nil {
			return err
		}
	}
	return nil
}

// TestEffects: the table of effects is right about this emulator.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		source string
		mode   Mode
		arch   elffile.Machine
		mask   uint64
		// without are the instructions that the machine stops at, which have no effects here.
		without []string
	}{
		{"insts.S", X86_64, elffile.X86_64, 1<<64 - 1, nil},
		{"insts32.S", I386, elffile.I386, 1<<32 - 1, nil},
	} {
		t.Run(c.source, func(t *testing.T) {
			file, err := filepath.Abs("../testdata/" + c.source)
			if err != nil {
				t.Fatal(err)
			}
			g := load(t, fmt.Sprintf("\tcall main\n\thlt\n\t.include %q\n", file), Config{Mode: c.mode})
			x := &effects{g, c.arch, c.mask, rand.New(rand.NewSource(1)), 0}
			if without := x.program(t); !slices.Equal(without, c.without) {
				t.Errorf("the machine doesn't run %q, want %q", without, c.without)
			}
		})
	}
}

// program tries each instruction that the program reaches, and returns the names
// of those that the machine doesn't run.
func (x *effects) program(t *testing.T) []string {
	c := x.start(0)
	var without []string
	for n := 0; ; n++ {
		pc := x.Regs(c).RIP
		code := x.Bytes(pc, x86.MaxInst)
		s := x.Run(&Run{From: c, Flags: Solo, StopAt: 2})
		next := s.Ctx
		switch {
		case s.Why == StopInsn:
			if e, ok := x86.EffectsOf(code, x.Machine); ok {
				if err := x.inst(c, e); err != nil {
					t.Errorf("%#x: %x: %v; said %+v", pc, code[:8], err, e)
				}
			}
		case s.Why == StopUnmodelled:
			if !slices.Contains(without, s.Detail) {
				without = append(without, s.Detail)
			}
			_, length, err := x86.Inst(&elffile.File{Machine: x.Machine}, code, pc)
			if err != nil {
				t.Fatalf("%#x: %x: %v", pc, code[:8], err)
			}
			next = x.Run(&Run{From: c, Flags: Solo, StopAt: 1, Set: trace.RIP, Regs: Regs{RIP: pc + uint64(length)}}).Ctx
		case s.Why == StopPrivileged && s.Detail == "hlt":
			t.Logf("%d instructions, %d states", n, x.ran)
			return without
		default:
			t.Fatalf("%#x: %x: the program stopped for %v (%s, fault %+v)", pc, code[:8], s.Why, s.Detail, s.Fault)
		}
		c = next
	}
}
