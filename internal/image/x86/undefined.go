package x86

import (
	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
)

// Flags is a set of arithmetic flags, at their places in the flags register.
type Flags uint32

// undefinedFlags has the instructions that leave flags undefined for all
// operands; shifts and rotations, where the count decides, are below.
//
// Source: Intel 64 and IA-32 manual, volume 1, appendix A, and volume 2.
var undefinedFlags = map[x86asm.Op]Flags{
	x86asm.AND:   abi.AF,
	x86asm.OR:    abi.AF,
	x86asm.XOR:   abi.AF,
	x86asm.TEST:  abi.AF,
	x86asm.MUL:   abi.SF | abi.ZF | abi.AF | abi.PF,
	x86asm.IMUL:  abi.SF | abi.ZF | abi.AF | abi.PF,
	x86asm.DIV:   abi.Arithmetic,
	x86asm.IDIV:  abi.Arithmetic,
	x86asm.BT:    abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.BTS:   abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.BTR:   abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.BTC:   abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.BSF:   abi.CF | abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.BSR:   abi.CF | abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.TZCNT: abi.OF | abi.SF | abi.AF | abi.PF,
	x86asm.LZCNT: abi.OF | abi.SF | abi.AF | abi.PF,
}

// Undefined are the flags that the manual leaves open behind the instruction that code begins
// with, so that processors of two makers may differ in them. For tests that compare the engine
// with a processor.
func Undefined(code []byte, m elffile.Machine) Flags {
	inst, _, err := Decode(code, m)
	if err != nil {
		return 0
	}
	return undefined(&inst)
}

// undefined is Undefined, of a decoded instruction. A count in cl may be any.
func undefined(inst *x86asm.Inst) Flags {
	switch inst.Op {
	case x86asm.ROL, x86asm.ROR, x86asm.RCL, x86asm.RCR:
		if n, known := shiftCount(inst, 1); !known || n > 1 {
			return abi.OF
		}
		return 0
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		n, known := shiftCount(inst, 1)
		if known && n == 0 {
			return 0
		}
		flags := Flags(abi.AF)
		if !known || n > 1 {
			flags |= abi.OF
		}
		if size := operandBits(inst); inst.Op != x86asm.SAR && size < 32 && (!known || n >= size) {
			flags |= abi.CF
		}
		return flags
	case x86asm.SHLD, x86asm.SHRD:
		n, known := shiftCount(inst, 2)
		if known && n == 0 {
			return 0
		}
		if size := operandBits(inst); size < 32 && (!known || n > size) {
			return abi.Arithmetic
		}
		if known && n == 1 {
			return abi.AF
		}
		return abi.AF | abi.OF
	}
	return undefinedFlags[inst.Op]
}

// shiftCount is the count of a shift, its operand of that number, as the processor
// takes it; false where a register has it.
func shiftCount(inst *x86asm.Inst, operand int) (int, bool) {
	imm, ok := inst.Args[operand].(x86asm.Imm)
	if !ok {
		return 0, false
	}
	if operandBits(inst) == 64 {
		return int(imm & 63), true
	}
	return int(imm & 31), true
}

// operandBits is the size of an instruction's first operand.
func operandBits(inst *x86asm.Inst) int {
	r, ok := inst.Args[0].(x86asm.Reg)
	switch {
	case !ok:
		return 8 * inst.MemBytes
	case r < x86asm.AX:
		return 8
	case r < x86asm.EAX:
		return 16
	case r < x86asm.RAX:
		return 32
	}
	return 64
}
