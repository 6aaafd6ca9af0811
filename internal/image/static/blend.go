package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Blends says how the instruction at pc, a locked one, blends with others (trace.Blend). It
// adds to memory, combines bits, or exchanges with memory. Nothing reads the flags that it
// leaves nor, with xadd and xchg, what memory held before (Dead). NoBlend: it doesn't, or
// that isn't certain. It holds of an image whose flags don't cross returns (FlagsCross),
// where a path that ends at a call or a return reads none.
func Blends(f *elffile.File, pc uint64) trace.Blend {
	code := fixedCode(f, pc)
	inst, _, err := x86.Decode(code, f.Machine)
	if locked, _, err2 := Locked(f, code); err != nil || err2 != nil || !locked {
		return trace.NoBlend
	}
	if _, memory := inst.Args[0].(x86asm.Mem); !memory {
		return trace.NoBlend
	}
	blend, result := trace.NoBlend, trace.RegSet(0)
	switch inst.Op {
	case x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC:
		blend = trace.BlendAdd
	case x86asm.AND:
		blend = trace.BlendAnd
	case x86asm.OR:
		blend = trace.BlendOr
	case x86asm.XOR, x86asm.NOT: // not is xor with ones
		blend = trace.BlendXor
	case x86asm.XADD, x86asm.XCHG:
		r, isReg := inst.Args[1].(x86asm.Reg)
		if result = x86.General(r); !isReg || result == 0 {
			return trace.NoBlend
		}
		if blend = trace.BlendAdd; inst.Op == x86asm.XCHG {
			blend = trace.BlendStore
		}
	default:
		return trace.NoBlend
	}
	regs, flags := Dead(f, pc+uint64(inst.Len))
	if result&^regs != 0 || !flags && inst.Op != x86asm.NOT && inst.Op != x86asm.XCHG && !flagsDead(f, pc+uint64(inst.Len)) {
		return trace.NoBlend
	}
	return blend
}

// Adds reports whether the instruction at pc, a locked one, adds to memory, whatever it leaves.
func Adds(f *elffile.File, pc uint64) bool {
	inst, locked := lockedAt(f, pc)
	switch inst.Op {
	case x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC, x86asm.XADD:
		_, memory := inst.Args[0].(x86asm.Mem)
		return locked && memory
	}
	return false
}

// Exchanges reports whether the instruction at pc is one that may leave memory as it is, and says so: an
// exchange, a compare-and-exchange, a test-and-set of a bit.
func Exchanges(f *elffile.File, pc uint64) bool {
	inst, locked := lockedAt(f, pc)
	switch inst.Op {
	case x86asm.XCHG, x86asm.CMPXCHG, x86asm.BTS:
		_, first := inst.Args[0].(x86asm.Mem)
		_, second := inst.Args[1].(x86asm.Mem)
		return locked && (first || second)
	}
	return false
}

// lockedAt is the instruction at pc, and whether it is a locked one.
func lockedAt(f *elffile.File, pc uint64) (x86asm.Inst, bool) {
	code := fixedCode(f, pc)
	inst, _, err := x86.Decode(code, f.Machine)
	locked, _, err2 := Locked(f, code)
	return inst, err == nil && err2 == nil && locked
}

// flagsDead is Dead for the flags alone, where what is read behind a return isn't known to be
// none: FlagsCross says so.
func flagsDead(f *elffile.File, pc uint64) bool {
	w := acrossWalk{file: f, strict: true}
	return !w.reads(pc, 0, allFlags)
}
