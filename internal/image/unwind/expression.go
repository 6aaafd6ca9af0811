package unwind

import (
	"landgo/internal/image/elffile"
	"landgo/internal/image/fields"
)

// evaluate runs the kind of DWARF expression that call-frame information has:
// compilers and assembler authors use it for stacks that were realigned, for
// the linkage table and for signal frames. Anything else (and anything
// damaged) gives false: the unwinder then goes by the frame pointer.
//
// Source: DWARF 5 §2.5, §7.7.1.
func evaluate(expr []byte, initial uint64, m elffile.Machine, regs *[numRules]uint64, read func(uint64) (uint64, bool)) (uint64, bool) {
	const maxSteps, maxStack = 256, 64
	e := expression{stack: []uint64{initial}, machine: m, regs: regs, read: read}
	e.r = fields.Reader{Data: expr}
	for step := 0; e.r.Off < len(expr); step++ {
		if step == maxSteps || len(e.stack) > maxStack || !e.step(e.r.U8()) || e.r.Err != nil {
			return 0, false
		}
	}
	if len(e.stack) == 0 {
		return 0, false
	}
	return e.stack[len(e.stack)-1] & m.WordMask(), true
}

type expression struct {
	r       fields.Reader
	stack   []uint64
	machine elffile.Machine
	regs    *[numRules]uint64
	read    func(uint64) (uint64, bool)
}

func (e *expression) push(v uint64) bool {
	e.stack = append(e.stack, v)
	return true
}

// pop returns 0 from an empty stack, and marks the expression as damaged.
func (e *expression) pop() uint64 {
	if len(e.stack) == 0 {
		e.r.Err = fields.ErrDamaged
		return 0
	}
	v := e.stack[len(e.stack)-1]
	e.stack = e.stack[:len(e.stack)-1]
	return v
}

const (
	OpAddr       = 0x03
	opDeref      = 0x06
	opConst1u    = 0x08
	opConst1s    = 0x09
	opConst2u    = 0x0a
	opConst2s    = 0x0b
	opConst4u    = 0x0c
	opConst4s    = 0x0d
	opConst8u    = 0x0e
	opConst8s    = 0x0f
	opConstu     = 0x10
	opConsts     = 0x11
	opDup        = 0x12
	opDrop       = 0x13
	opOver       = 0x14
	opSwap       = 0x16
	opAnd        = 0x1a
	opMinus      = 0x1c
	opMul        = 0x1e
	opOr         = 0x21
	opPlus       = 0x22
	opPlusUconst = 0x23
	opShl        = 0x24
	opShr        = 0x25
	opXor        = 0x27
	opEq         = 0x29
	opGe         = 0x2a
	opGt         = 0x2b
	opLe         = 0x2c
	opLt         = 0x2d
	opNe         = 0x2e
	opLit0       = 0x30
	opLit31      = 0x4f
	opBreg0      = 0x70
	opBreg31     = 0x8f
	opNop        = 0x96
)

func (e *expression) step(op byte) bool {
	switch {
	case op >= opLit0 && op <= opLit31:
		return e.push(uint64(op - opLit0))
	case op >= opBreg0 && op <= opBreg31:
		reg := uint64(op - opBreg0)
		if e.machine == elffile.I386 {
			reg = number32(reg)
		}
		return reg < numRules && e.push(e.regs[reg]+uint64(e.r.Sleb()))
	}
	switch op {
	case opConst1u, opConst2u, opConst4u, opConst8u:
		return e.push(e.r.Uint(1 << ((op - opConst1u) / 2)))
	case opConst1s, opConst2s, opConst4s, opConst8s:
		return e.push(e.r.Sint(1 << ((op - opConst1s) / 2)))
	case opConstu:
		return e.push(e.r.Uleb())
	case opConsts:
		return e.push(uint64(e.r.Sleb()))
	case opDeref:
		v, ok := e.read(e.pop() & e.machine.WordMask())
		return ok && e.push(v)
	case opDup:
		v := e.pop()
		e.push(v) // there is room for the value just taken
		return e.push(v)
	case opDrop:
		e.pop()
		return true
	case opPlusUconst:
		return e.push(e.pop() + e.r.Uleb())
	case opNop:
		return true
	}
	return e.binary(op)
}

// binary executes operators on the two topmost values.
func (e *expression) binary(op byte) bool {
	b, a := e.pop(), e.pop()
	truth := func(v bool) bool {
		if v {
			return e.push(1)
		}
		return e.push(0)
	}
	switch op {
	case opOver:
		return e.push(a) && e.push(b) && e.push(a)
	case opSwap:
		return e.push(b) && e.push(a)
	case opAnd:
		return e.push(a & b)
	case opMinus:
		return e.push(a - b)
	case opMul:
		return e.push(a * b)
	case opOr:
		return e.push(a | b)
	case opPlus:
		return e.push(a + b)
	case opShl:
		return e.push(a << b)
	case opShr:
		return e.push(a >> b)
	case opXor:
		return e.push(a ^ b)
	case opEq:
		return truth(a == b)
	case opGe:
		return truth(int64(a) >= int64(b))
	case opGt:
		return truth(int64(a) > int64(b))
	case opLe:
		return truth(int64(a) <= int64(b))
	case opLt:
		return truth(int64(a) < int64(b))
	case opNe:
		return truth(a != b)
	}
	return false
}
