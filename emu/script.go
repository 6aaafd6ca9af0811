package emu

/*
#include "machine.h"

static void script_insn(uintptr_t m, uint64_t pc, uint32_t size)
{
	on_insn(NULL, pc, size, (struct machine *)m);
}

static void script_access(uintptr_t m, bool write, uint64_t addr, uint32_t size, uint64_t value)
{
	on_access(NULL, write ? UC_MEM_WRITE : UC_MEM_READ, addr, (int)size, (int64_t)value, (struct machine *)m);
}
*/
import "C"

import (
	"fmt"
	"unsafe"

	"landgo/internal/trace"
)

// Script has the instructions of a machine without an engine, as functions. The machine's
// own hooks are called for them, as an engine calls these: breakpoints, limits, permissions,
// the journal, sharing, events and records are those of any run. For tests.
type Script map[uint64]Insn

// Insn is an instruction of a Script.
type Insn struct {
	// Bytes are the machine code at the instruction's address. They say whether it
	// is locked, a fence, a trap or a privileged one; it does what Do says. Something else
	// has to load them into the machine's memory.
	Bytes []byte
	// Do carries it out, from the program counter of the next one; nil: it does nothing. It
	// is a function of the processor and of memory, and is called again where a run goes on
	// inside the instruction.
	Do func(*CPU)
}

// CPU is the processor of a machine that runs a Script.
type CPU struct {
	*Regs
	// Board is the rest, of a bare machine. No rewind takes its changes back.
	Board *BoardRegs
	m     *Machine
}

// Load reads up to 8 bytes of memory.
func (c *CPU) Load(addr uint64, size uint32) (v uint64) {
	if !c.access(false, addr, size, 0) {
		return 0
	}
	for i, b := range c.m.Bytes(addr, uint64(size)) {
		v |= uint64(b) << (8 * i)
	}
	return v
}

// Store writes up to 8 bytes.
func (c *CPU) Store(addr uint64, size uint32, v uint64) {
	if !c.access(true, addr, size, v) {
		return
	}
	for i := range c.m.Bytes(addr, uint64(size)) {
		c.m.Bytes(addr, uint64(size))[i] = byte(v >> (8 * i))
	}
}

// access tells the machine of an access, and reports whether it happens.
func (c *CPU) access(write bool, addr uint64, size uint32, v uint64) bool {
	if c.m.c.why != C.STOP_NONE {
		return false // the run is to stop before this instruction
	}
	C.script_access(c.m.address(), C.bool(write), C.uint64_t(addr), C.uint32_t(size), C.uint64_t(v))
	return c.m.c.why == C.STOP_NONE
}

func (m *Machine) address() C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(m.c))) }

// play is a run of a script.
func (m *Machine) play() {
	begun := C.script_begin(m.c)
	cpu := CPU{Regs: (*trace.Regs)(unsafe.Pointer(&m.c.plain)), Board: (*BoardRegs)(unsafe.Pointer(&m.c.plain_board)), m: m}
	cpu.RIP = uint64(m.c.pc)
	for {
		pc := cpu.RIP
		insn, found := m.cfg.Script[pc]
		C.script_insn(m.address(), C.uint64_t(pc), C.uint32_t(max(1, len(insn.Bytes))))
		if m.c.why != C.STOP_NONE {
			break
		}
		if !found {
			panic(fmt.Sprintf("emu: no instruction of the script is at %#x", pc))
		}
		before := *cpu.Regs
		cpu.RIP += uint64(len(insn.Bytes))
		if insn.Do != nil {
			insn.Do(&cpu)
		}
		if m.c.why != C.STOP_NONE {
			*cpu.Regs = before
			break
		}
	}
	C.script_end(m.c, begun)
}
