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

func (e *expression) step(op byte) bool {
	switch {
	case op >= fields.OpLit0 && op <= fields.OpLit31:
		return e.push(uint64(op - fields.OpLit0))
	case op >= fields.OpBreg0 && op <= fields.OpBreg31:
		reg := uint64(op - fields.OpBreg0)
		if e.machine == elffile.I386 {
			reg = number32(reg)
		}
		return reg < numRules && e.push(e.regs[reg]+uint64(e.r.Sleb()))
	}
	switch op {
	case fields.OpConst1u, fields.OpConst2u, fields.OpConst4u, fields.OpConst8u:
		return e.push(e.r.Uint(1 << ((op - fields.OpConst1u) / 2)))
	case fields.OpConst1s, fields.OpConst2s, fields.OpConst4s, fields.OpConst8s:
		return e.push(e.r.Sint(1 << ((op - fields.OpConst1s) / 2)))
	case fields.OpConstu:
		return e.push(e.r.Uleb())
	case fields.OpConsts:
		return e.push(uint64(e.r.Sleb()))
	case fields.OpDeref:
		v, ok := e.read(e.pop() & e.machine.WordMask())
		return ok && e.push(v)
	case fields.OpDup:
		v := e.pop()
		e.push(v) // there is room for the value just taken
		return e.push(v)
	case fields.OpDrop:
		e.pop()
		return true
	case fields.OpPlusUconst:
		return e.push(e.pop() + e.r.Uleb())
	case fields.OpNop:
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
	case fields.OpOver:
		return e.push(a) && e.push(b) && e.push(a)
	case fields.OpSwap:
		return e.push(b) && e.push(a)
	case fields.OpAnd:
		return e.push(a & b)
	case fields.OpMinus:
		return e.push(a - b)
	case fields.OpMul:
		return e.push(a * b)
	case fields.OpOr:
		return e.push(a | b)
	case fields.OpPlus:
		return e.push(a + b)
	case fields.OpShl:
		return e.push(a << b)
	case fields.OpShr:
		return e.push(a >> b)
	case fields.OpXor:
		return e.push(a ^ b)
	case fields.OpEq:
		return truth(a == b)
	case fields.OpGe:
		return truth(int64(a) >= int64(b))
	case fields.OpGt:
		return truth(int64(a) > int64(b))
	case fields.OpLe:
		return truth(int64(a) <= int64(b))
	case fields.OpLt:
		return truth(int64(a) < int64(b))
	case fields.OpNe:
		return truth(a != b)
	}
	return false
}
