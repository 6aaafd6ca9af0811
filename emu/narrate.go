package emu

// #include "machine.h"
import "C"

import "unsafe"

// Told is a part of what runs with Narrate did: an instruction that was completed, or an
// access, which comes behind its instruction. Where others see an instruction's parts,
// the accesses made so far come without it, and the others with it, later.
type Told struct {
	// Addr is the instruction's, or that of what is accessed.
	Addr uint64
	// Insn is the number in its run of the instruction, from 1.
	Insn uint32
	Size uint16
	What What
	_    uint8
}

// What is a kind of a run's acts.
type What uint8

const (
	ToldInsn  What = C.TOLD_INSN
	ToldRead  What = C.TOLD_READ
	ToldWrite What = C.TOLD_WRITE
)

// Told lists the acts since ForgetTold, in order, in the machine's own memory. It isn't
// part of the marked state.
func (m *Machine) Told() []Told {
	return unsafe.Slice((*Told)(unsafe.Pointer(m.c.told)), m.c.ntold)
}

// ForgetTold begins anew.
func (m *Machine) ForgetTold() { m.c.ntold = 0 }
