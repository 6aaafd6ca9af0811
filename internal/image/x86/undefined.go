package x86

import "golang.org/x/arch/x86/x86asm"

// Flags is a set of arithmetic flags, at their places in the flags register.
type Flags uint32

// The arithmetic flags.
const (
	CF Flags = 1 << 0
	PF Flags = 1 << 2
	AF Flags = 1 << 4
	ZF Flags = 1 << 6
	SF Flags = 1 << 7
	OF Flags = 1 << 11

	ArithmeticFlags = CF | PF | AF | ZF | SF | OF
)

// undefinedFlags has the instructions that leave flags undefined for all
// operands; shifts and rotations, where the count decides, are below.
//
// Source: Intel 64 and IA-32 manual, volume 1, appendix A, and volume 2.
var undefinedFlags = map[x86asm.Op]Flags{
	x86asm.AND:   AF,
	x86asm.OR:    AF,
	x86asm.XOR:   AF,
	x86asm.TEST:  AF,
	x86asm.MUL:   SF | ZF | AF | PF,
	x86asm.IMUL:  SF | ZF | AF | PF,
	x86asm.DIV:   ArithmeticFlags,
	x86asm.IDIV:  ArithmeticFlags,
	x86asm.BT:    OF | SF | AF | PF,
	x86asm.BTS:   OF | SF | AF | PF,
	x86asm.BTR:   OF | SF | AF | PF,
	x86asm.BTC:   OF | SF | AF | PF,
	x86asm.BSF:   CF | OF | SF | AF | PF,
	x86asm.BSR:   CF | OF | SF | AF | PF,
	x86asm.TZCNT: OF | SF | AF | PF,
	x86asm.LZCNT: OF | SF | AF | PF,
}

// undefined has an instruction's flags that the manual leaves open. A count in
// cl may be any.
func undefined(inst *x86asm.Inst) Flags {
	switch inst.Op {
	case x86asm.ROL, x86asm.ROR, x86asm.RCL, x86asm.RCR:
		if n, known := shiftCount(inst, 1); !known || n > 1 {
			return OF
		}
		return 0
	case x86asm.SHL, x86asm.SHR, x86asm.SAR:
		n, known := shiftCount(inst, 1)
		if known && n == 0 {
			return 0
		}
		flags := AF
		if !known || n > 1 {
			flags |= OF
		}
		if size := operandBits(inst); inst.Op != x86asm.SAR && size < 32 && (!known || n >= size) {
			flags |= CF
		}
		return flags
	case x86asm.SHLD, x86asm.SHRD:
		n, known := shiftCount(inst, 2)
		if known && n == 0 {
			return 0
		}
		if size := operandBits(inst); size < 32 && (!known || n > size) {
			return ArithmeticFlags
		}
		if known && n == 1 {
			return AF
		}
		return AF | OF
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
