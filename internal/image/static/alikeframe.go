package static

import (
	"math/bits"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Alike's knowledge of the registers and the stack at an instruction.

type valueKind uint8

const (
	sameValue   valueKind = iota
	placeValue            // at is the offset of a place on the stack
	returnValue           // at is where a function returns to, 0: the thread's end
	ownValue
)

type value struct {
	kind valueKind
	at   int64
}

// cell is byte part of a value on the stack.
type cell struct {
	value
	part uint8
}

// frame is what is known before an instruction.
type frame struct {
	regs  [16]value
	flags valueKind
	bytes map[int64]cell // of the stack; others are own
	// calls is which calls lead here.
	calls int
}

func (s *frame) clone() *frame {
	c := *s
	c.bytes = make(map[int64]cell, len(s.bytes))
	for at, b := range s.bytes {
		c.bytes[at] = b
	}
	return &c
}

func (s *frame) store(at int64, size int, v value) {
	for i := range size {
		c := cell{v, uint8(i)}
		if v.kind == sameValue {
			c = cell{}
		}
		if s.bytes[at+int64(i)] = c; v.kind == ownValue || v.kind != sameValue && size != 8 {
			delete(s.bytes, at+int64(i))
		}
	}
}

func (s *frame) load(at int64, size int) value {
	first, ok := s.bytes[at]
	if !ok {
		return value{kind: ownValue}
	}
	for i := range size {
		want := cell{first.value, uint8(i)}
		if first.kind == sameValue {
			want.part = 0
		}
		if c, ok := s.bytes[at+int64(i)]; !ok || c != want {
			return value{kind: ownValue}
		}
	}
	if first.kind != sameValue && size != 8 {
		return value{kind: ownValue}
	}
	return first.value
}

// merge makes s what is known where either holds. It reports whether that is less.
func (s *frame) merge(o *frame) (less bool) {
	for i := range s.regs {
		if s.regs[i] != o.regs[i] && s.regs[i].kind != ownValue {
			s.regs[i], less = value{kind: ownValue}, true
		}
	}
	if s.flags != o.flags && s.flags == sameValue {
		s.flags, less = ownValue, true
	}
	for at, b := range s.bytes {
		if c, ok := o.bytes[at]; !ok || c != b {
			delete(s.bytes, at)
			less = true
		}
	}
	return less
}

// address is where an operand is on the stack, or that it isn't there: all of its address is
// same then.
func (s *frame) address(m x86asm.Mem) (at int64, onStack, ok bool) {
	base := value{}
	if m.Base != 0 && m.Base != x86asm.RIP {
		r := x86.General(m.Base)
		if r == 0 || m.Base < x86asm.RAX {
			return 0, false, false
		}
		base = s.regs[regIndex(r)]
	}
	if m.Index != 0 {
		r := x86.General(m.Index)
		if r == 0 || m.Index < x86asm.RAX || s.regs[regIndex(r)].kind != sameValue || base.kind != sameValue {
			return 0, false, false
		}
	}
	switch base.kind {
	case sameValue:
		return 0, false, true
	case placeValue:
		return base.at + m.Disp, true, true
	}
	return 0, false, false
}

// regIndex is a register's number.
func regIndex(r trace.RegSet) int { return max(bits.Len32(uint32(r))-1, 0) }
