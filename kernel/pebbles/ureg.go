package pebbles

import (
	"landgo/emu"
	"landgo/internal/abi"
)

// frameWord is one word of the register frame that a handler gets: a field of
// the exception, a constant, or a register of the thread.
type frameWord struct {
	kind  frameKind
	value uint64                    // frameConst: the constant, or its required value
	reg   func(r *emu.Regs) *uint64 // frameReg
}

type frameKind uint8

const (
	frameReg      frameKind = iota
	frameCause              // the exception's number
	frameAddress            // cr2: the address of a page fault
	frameError              // the processor's error code
	frameIgnored            // has a constant; whatever stands there when it is adopted
	frameRequired           // has a constant, which must stand there when it is adopted
	frameFlags
)

// Selectors of the user's segments, as Pebbles has them, and flags.
const (
	userCode = 0x23
	userData = 0x2b

	adoptable = abi.Arithmetic | abi.DF | abi.AC | abi.ID // flags
)

func reg(f func(*emu.Regs) *uint64) frameWord { return frameWord{kind: frameReg, reg: f} }

// The registers by their 64-bit names.
var (
	rax = reg(func(r *emu.Regs) *uint64 { return &r.RAX })
	rbx = reg(func(r *emu.Regs) *uint64 { return &r.RBX })
	rcx = reg(func(r *emu.Regs) *uint64 { return &r.RCX })
	rdx = reg(func(r *emu.Regs) *uint64 { return &r.RDX })
	rsi = reg(func(r *emu.Regs) *uint64 { return &r.RSI })
	rdi = reg(func(r *emu.Regs) *uint64 { return &r.RDI })
	rbp = reg(func(r *emu.Regs) *uint64 { return &r.RBP })
	rsp = reg(func(r *emu.Regs) *uint64 { return &r.RSP })
	r8  = reg(func(r *emu.Regs) *uint64 { return &r.R8 })
	r9  = reg(func(r *emu.Regs) *uint64 { return &r.R9 })
	r10 = reg(func(r *emu.Regs) *uint64 { return &r.R10 })
	r11 = reg(func(r *emu.Regs) *uint64 { return &r.R11 })
	r12 = reg(func(r *emu.Regs) *uint64 { return &r.R12 })
	r13 = reg(func(r *emu.Regs) *uint64 { return &r.R13 })
	r14 = reg(func(r *emu.Regs) *uint64 { return &r.R14 })
	r15 = reg(func(r *emu.Regs) *uint64 { return &r.R15 })
	rip = reg(func(r *emu.Regs) *uint64 { return &r.RIP })
)

var (
	cause     = frameWord{kind: frameCause}
	cr2       = frameWord{kind: frameAddress}
	errorCode = frameWord{kind: frameError}
	flags     = frameWord{kind: frameFlags}
	zero      = frameWord{kind: frameIgnored}
	data      = frameWord{kind: frameIgnored, value: userData} // ds, es, fs, gs
	cs        = frameWord{kind: frameRequired, value: userCode}
	ss        = frameWord{kind: frameRequired, value: userData}
)

// The frames of the two forms (abi.md). The zero word is where pusha puts the
// stack pointer.
var (
	frame32 = []frameWord{
		cause, cr2, data, data, data, data,
		rdi, rsi, rbp, zero, rbx, rdx, rcx, rax,
		errorCode, rip, cs, flags, rsp, ss,
	}
	frame64 = []frameWord{
		cause, cr2, data, data, data, data,
		rdi, rsi, rbp, zero, rbx, rdx, rcx, rax,
		r8, r9, r10, r11, r12, r13, r14, r15,
		errorCode, rip, cs, flags, rsp, ss,
	}
)

// exception is a frame's description of a fault, besides registers.
type exception struct{ cause, address, code uint64 }

func (f *form) frameSize() uint64 { return uint64(len(f.frame)) * f.word }

// encode makes a frame.
func (f *form) encode(e exception, regs *emu.Regs) []byte {
	var p []byte
	for _, w := range f.frame {
		v := w.value
		switch w.kind {
		case frameReg:
			v = *w.reg(regs)
		case frameCause:
			v = e.cause
		case frameAddress:
			v = e.address
		case frameError:
			v = e.code
		case frameFlags:
			v = regs.RFLAGS&adoptable | abi.FlagsOfUser
		}
		p = f.append(p, v)
	}
	return p
}

// decode reads the frame at an address, which must be readable, on top of
// regs. It reports false, and leaves regs as they were, for a frame that no
// thread of a user may have.
func (k *Kernel) decode(addr uint64, regs *emu.Regs) bool {
	next := *regs
	for i, w := range k.form.frame {
		v := k.form.read(k.mem, addr+uint64(i)*k.form.word)
		switch w.kind {
		case frameReg:
			*w.reg(&next) = v
		case frameFlags:
			if v&^adoptable != abi.FlagsOfUser {
				return false
			}
			next.RFLAGS = v
		case frameRequired:
			if v != w.value {
				return false
			}
		}
	}
	if !k.img.IsCode(next.RIP) {
		return false
	}
	*regs = next
	return true
}
