package static

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// mostLeast bounds the numbers that results are compared with.
const mostLeast = 1 << 12

// Tested is of the instruction at pc, a locked one that adds to memory. It says which
// number memory has to hold before, or more, so that its result is the same for all that
// the code makes of it. The sum has to be above zero as well. 0: there is no such number,
// or that isn't certain.
//
// Of numbers above zero that don't overflow the flags are the same, but for those of the low
// bits: parity and adjust. So conditions on the others may read them. They may also be those of
// a comparison of xadd's result, or a test of it, if it was above the number that it is
// compared with. Nothing else may read flags or result. As in Blends, an image whose flags cross returns
// has to be left out.
func Tested(f *elffile.File, pc uint64) int64 {
	code := fixedCode(f, pc)
	inst, _, err := x86.Decode(code, f.Machine)
	if locked, _, err2 := Locked(f, code); err != nil || err2 != nil || !locked {
		return 0
	}
	if _, memory := inst.Args[0].(x86asm.Mem); !memory {
		return 0
	}
	d := deadWalk{file: f, seen: map[uint64]trace.RegSet{}}
	switch inst.Op {
	case x86asm.ADD, x86asm.SUB, x86asm.INC, x86asm.DEC:
	case x86asm.XADD:
		r, isReg := inst.Args[1].(x86asm.Reg)
		result := x86.General(r)
		if !isReg || result == 0 {
			return 0
		}
		d.tests = r
		if d.walk(pc+uint64(inst.Len), result); d.live != 0 {
			return 0
		}
	default:
		return 0
	}
	if !flagsTested(f, pc+uint64(inst.Len)) {
		return 0
	}
	return max(d.least, 1)
}

// flagsTested reports whether code reads the flags at pc only by conditions that are the same for
// all numbers above zero. It looks this side of the next call and return.
func flagsTested(f *elffile.File, pc uint64) bool {
	w := acrossWalk{file: f, strict: true, tests: true}
	return !w.reads(pc, 0, allFlags)
}

// condition reports whether an operation reads flags as a condition that is the same for all
// numbers above zero.
func condition(op x86asm.Op) bool {
	switch op {
	case x86asm.JA, x86asm.JAE, x86asm.JB, x86asm.JBE, x86asm.JE, x86asm.JNE, x86asm.JG, x86asm.JGE, x86asm.JL, x86asm.JLE,
		x86asm.JO, x86asm.JNO, x86asm.JS, x86asm.JNS,
		x86asm.SETA, x86asm.SETAE, x86asm.SETB, x86asm.SETBE, x86asm.SETE, x86asm.SETNE, x86asm.SETG, x86asm.SETGE, x86asm.SETL, x86asm.SETLE,
		x86asm.SETO, x86asm.SETNO, x86asm.SETS, x86asm.SETNS,
		x86asm.CMOVA, x86asm.CMOVAE, x86asm.CMOVB, x86asm.CMOVBE, x86asm.CMOVE, x86asm.CMOVNE, x86asm.CMOVG, x86asm.CMOVGE, x86asm.CMOVL, x86asm.CMOVLE,
		x86asm.CMOVO, x86asm.CMOVNO, x86asm.CMOVS, x86asm.CMOVNS:
		return true
	}
	return false
}

// test reports whether an instruction compares register r with a number, or tests it. It also says
// how much has to be there so that the flags are those of a number above zero.
func test(inst *x86asm.Inst, r x86asm.Reg) (least int64, ok bool) {
	if inst.Args[0] != x86asm.Arg(r) {
		return 0, false
	}
	switch n := inst.Args[1].(type) {
	case x86asm.Imm:
		return int64(n) + 1, inst.Op == x86asm.CMP && n >= 0 && n < mostLeast
	case x86asm.Reg:
		return 1, inst.Op == x86asm.TEST && n == r
	}
	return 0, false
}
