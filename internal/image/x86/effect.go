package x86

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

// Effects list the general registers and arithmetic flags that an instruction
// reads and replaces. With them a loop's live registers can be separated from
// those that it overwrites before it reads them. Reads come before writes.
//
// A part overwritten counts as read, because the rest lives on: a write of 8 or
// 16 bits of a register, inc's flags without the carry. (A write of 32 bits
// clears the upper half, so it is a whole one.) A conditional write counts as
// read too.
type Effects struct {
	// Reads: the registers that its results depend on, addresses included.
	Reads trace.RegSet
	// Writes: the registers that are overwritten as a whole.
	Writes trace.RegSet
	// ReadsFlags: depends on an arithmetic flag, or leaves some as they were
	// while it writes others.
	ReadsFlags bool
	// WritesFlags: sets all of abi.CF, abi.PF, abi.AF, abi.ZF, abi.SF, abi.OF. Results that the manual
	// leaves undefined count as the emulator has them.
	WritesFlags bool
	// Vector: reads or writes SSE registers, which aren't told apart here.
	Vector bool
}

// operand is an instruction's use of one of its operands.
type operand uint8

const (
	unused  operand = '-' // a NOP's
	read    operand = 'r'
	write   operand = 'w'
	modify  operand = 'm' // reads and writes
	address operand = 'a' // lea: the address only
	maybe   operand = 'c' // reads, and writes sometimes
)

// shape is an opcode's entry in the table of effects.
type shape struct {
	operands string // an operand for each of the instruction's
	flags    flagUse
	reads    trace.RegSet // implicit
	writes   trace.RegSet // implicit, whole
}

type flagUse uint8

const (
	keepsFlags     flagUse = iota
	setsFlags              // all
	mixesFlags             // some, the others live on
	readsFlags             // and writes none
	readsSetsFlags         // reads, and sets all
)

// EffectsOf gives the effects of the instruction that code begins with; false
// for one that isn't in the table: x87, system and most SSE instructions, and
// any unknown one. The caller then has to take everything for live.
func EffectsOf(code []byte, m elffile.Machine) (Effects, bool) {
	inst, _, err := Decode(code, m)
	if err != nil {
		return Effects{}, false
	}
	s, ok := shapes[inst.Op]
	if !ok {
		return Effects{}, false
	}
	e := Effects{Reads: s.reads, Writes: s.writes}
	e.use(s.flags)
	for i, a := range inst.Args {
		if a == nil {
			break
		}
		if i >= len(s.operands) || !e.operand(a, operand(s.operands[i])) {
			return Effects{}, false
		}
	}
	e.special(&inst)
	return e, true
}

// Modifies reports whether the instruction that code begins with reads and writes one
// operand in memory. A processor asks for both at once, so such a page fault is of a write.
func Modifies(code []byte, m elffile.Machine) bool {
	inst, _, err := Decode(code, m)
	if err != nil {
		return false
	}
	uses := shapes[inst.Op].operands
	for i := range uses {
		_, memory := inst.Args[i].(x86asm.Mem)
		if memory && (operand(uses[i]) == modify || inst.Op == x86asm.CMPXCHG) {
			return true
		}
	}
	return false
}

func (e *Effects) use(f flagUse) {
	e.ReadsFlags = f == mixesFlags || f == readsFlags || f == readsSetsFlags
	e.WritesFlags = f == setsFlags || f == readsSetsFlags
}

// operand adds the effect of one operand; false for registers that aren't
// modelled.
func (e *Effects) operand(a x86asm.Arg, use operand) bool {
	switch a := a.(type) {
	case x86asm.Mem:
		if use != unused {
			e.Reads |= maskOf(a.Base) | maskOf(a.Index)
		}
	case x86asm.Reg:
		if isVector(a) {
			e.Vector = true
			return true
		}
		mask := maskOf(a)
		if mask == 0 {
			return false
		}
		e.register(mask, use, isWhole(a))
	}
	return true
}

func (e *Effects) register(mask trace.RegSet, use operand, whole bool) {
	switch use {
	case read, maybe:
		e.Reads |= mask
	case modify:
		e.Reads |= mask
		if whole {
			e.Writes |= mask
		}
	case write:
		if whole {
			e.Writes |= mask
		} else {
			e.Reads |= mask
		}
	}
}

// special adds effects that depend on more than the opcode.
func (e *Effects) special(inst *x86asm.Inst) {
	switch inst.Op {
	case x86asm.XOR, x86asm.SUB, x86asm.SBB:
		// A register with itself is a constant, or the carry.
		r, ok := inst.Args[0].(x86asm.Reg)
		if ok && inst.Args[0] == inst.Args[1] && isWhole(r) {
			e.Reads = 0
		}
	case x86asm.SHL, x86asm.SHR, x86asm.SAR, x86asm.SHLD, x86asm.SHRD:
		e.shift(inst)
	case x86asm.IMUL:
		switch {
		case inst.Args[1] == nil:
			e.wide(inst)
		case inst.Args[2] == nil: // also reads its destination
			e.operand(inst.Args[0], modify)
		}
	case x86asm.MUL, x86asm.DIV, x86asm.IDIV:
		e.wide(inst)
	}
	if repeats(inst) {
		e.Reads |= trace.RCX
		e.Writes |= trace.RCX
		// With a count of 0 nothing happens: the old value lives on.
		if e.WritesFlags {
			e.ReadsFlags, e.WritesFlags = true, false
		}
		e.Reads |= e.Writes
	}
}

// shift: a count of 0 leaves the flags.
func (e *Effects) shift(inst *x86asm.Inst) {
	last := 1
	if inst.Args[2] != nil {
		last = 2
	}
	const counts = 31 // of the smaller sizes; a count of 32 for 64 bits sets flags
	if imm, ok := inst.Args[last].(x86asm.Imm); !ok || imm&counts == 0 {
		e.ReadsFlags, e.WritesFlags = true, false
	}
}

// wide: multiplication and division of rdx:rax, which in 8 bits is ax.
func (e *Effects) wide(inst *x86asm.Inst) {
	size := inst.MemBytes
	if r, ok := inst.Args[0].(x86asm.Reg); ok {
		e.Reads |= maskOf(r)
		e.Writes = 0
		size = 2
		if isWhole(r) {
			size = 4
		} else if r < x86asm.AX {
			size = 1
		}
	}
	e.Reads |= trace.RAX
	if size > 1 && (size < 4 || inst.Op == x86asm.DIV || inst.Op == x86asm.IDIV) {
		e.Reads |= trace.RDX
	}
	if size >= 4 {
		e.Writes |= trace.RAX | trace.RDX
	}
}

// repeats: a string instruction with a rep prefix.
func repeats(inst *x86asm.Inst) bool {
	if !isString[inst.Op] {
		return false
	}
	for _, p := range inst.Prefix {
		if b := p & 0xff; b == 0xf3 || b == 0xf2 {
			return true
		}
	}
	return false
}

// maskOf is the general register that r is or is part of; 0 for others.
func maskOf(r x86asm.Reg) trace.RegSet {
	// The numbers of the instruction encoding: ax cx dx bx sp bp si di r8...
	encoded := [8]trace.RegSet{trace.RAX, trace.RCX, trace.RDX, trace.RBX, trace.RSP, trace.RBP, trace.RSI, trace.RDI}
	n := -1
	switch {
	case r >= x86asm.AL && r <= x86asm.BL:
		n = int(r - x86asm.AL)
	case r >= x86asm.AH && r <= x86asm.BH:
		n = int(r - x86asm.AH)
	case r >= x86asm.SPB && r <= x86asm.R15B:
		n = int(r-x86asm.SPB) + 4
	case r >= x86asm.AX && r <= x86asm.R15W:
		n = int(r - x86asm.AX)
	case r >= x86asm.EAX && r <= x86asm.R15L:
		n = int(r - x86asm.EAX)
	case r >= x86asm.RAX && r <= x86asm.R15:
		n = int(r - x86asm.RAX)
	default:
		return 0
	}
	if n < 8 {
		return encoded[n]
	}
	return 1 << n
}

// isWhole: a write of r replaces the whole register.
func isWhole(r x86asm.Reg) bool { return r >= x86asm.EAX && r <= x86asm.R15 }

func isVector(r x86asm.Reg) bool { return r >= x86asm.X0 && r <= x86asm.X15 }

// General is the general register that r is, or is a part of; 0 for others.
func General(r x86asm.Reg) trace.RegSet { return maskOf(r) }
