package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Pivot is the number with which code compares what bytes held before it added to them.
type Pivot struct {
	Number int64
	// Sum: it compares the sum with zero, so the number is minus what is added.
	Sum bool
}

// mostShifts bounds the instructions between an addition and the test of its result.
const mostShifts = 8

// PivotAt is that of the instruction at pc. ok: it is a locked one that adds to memory, and the code
// makes no more of its result than a comparison with the number (trace.TestedAddition). The flags of
// a sum of small numbers, and of a comparison of such numbers, are settled by which of the two is larger,
// but for parity and adjust. So conditions on the others may read them. Nothing else may read
// flags or result. As in Blends, an image whose flags cross returns has to be left out.
func PivotAt(f *elffile.File, pc uint64) (p Pivot, ok bool) {
	inst, locked := lockedAt(f, pc)
	if _, memory := inst.Args[0].(x86asm.Mem); !locked || !memory {
		return p, false
	}
	next := pc + uint64(inst.Len)
	switch inst.Op {
	case x86asm.INC, x86asm.DEC, x86asm.ADD, x86asm.SUB:
		return Pivot{Sum: true}, flagsTested(f, next)
	case x86asm.XADD:
		r, isReg := inst.Args[1].(x86asm.Reg)
		if !isReg || x86.General(r) == 0 || !flagsDead(f, next) {
			return p, false
		}
		p.Number, ok = pivot(f, next, r)
	}
	return p, ok
}

// pivot is the number with which the code at pc compares what register r holds, if it makes
// nothing else of that.
func pivot(f *elffile.File, pc uint64, r x86asm.Reg) (n int64, ok bool) {
	shift := int64(0) // what was added to it
	for range mostShifts {
		code := fixedCode(f, pc)
		inst, _, err := x86.Decode(code, f.Machine)
		e, known := x86.EffectsOf(code, f.Machine)
		if err != nil || !known {
			return 0, false
		}
		next := pc + uint64(inst.Len)
		own := inst.Args[0] == x86asm.Arg(r)
		imm, isImm := inst.Args[1].(x86asm.Imm)
		tested := false
		switch {
		case own && isImm && (inst.Op == x86asm.ADD || inst.Op == x86asm.SUB):
			n := int64(imm)
			if inst.Op == x86asm.SUB {
				n = -n
			}
			tested = shift == 0 && flagsTested(f, next) && !flagsDead(f, next)
			if shift += n; !tested && !flagsDead(f, next) {
				return 0, false
			}
		case own && isImm && inst.Op == x86asm.CMP && shift >= 0:
			tested, shift = flagsTested(f, next), shift-int64(imm)
		case own && inst.Op == x86asm.TEST && inst.Args[1] == x86asm.Arg(r):
			tested = flagsTested(f, next)
		default:
			kind, to := branch(&inst, next)
			if kind == forks || kind == away || (e.Reads|e.Writes)&x86.General(r) != 0 {
				return 0, false
			}
			if pc = next; kind == jumps {
				pc = to
			}
			continue
		}
		if tested {
			d := deadWalk{file: f, seen: map[uint64]trace.RegSet{}}
			d.walk(next, x86.General(r))
			return -shift, d.live == 0
		}
		if inst.Op == x86asm.CMP || inst.Op == x86asm.TEST {
			return 0, false
		}
		pc = next
	}
	return 0, false
}
