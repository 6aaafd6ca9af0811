package emu

/*
#include "machine.h"
*/
import "C"

import "unsafe"

// BoardRegs is what a bare machine's processor has beside Regs.
type BoardRegs struct {
	CR0, CR2, CR3, CR4 uint64
	GDT, IDT           uint64
	IDTLimit           uint64
	CS, SS             uint64
}

// CR0's bit for paging.
const cr0Paging = 1 << 31

// Paging reports whether addresses are translated.
func (r *BoardRegs) Paging() bool { return r.CR0&cr0Paging != 0 }

// StartBoard gives a bare machine's processor flat segments, by a descriptor
// table of size bytes at gdt: selector 8 is code, 16 data. Contexts begin with it.
func (m *Machine) StartBoard(gdt uint64, size uint32) {
	C.board_start(m.c, C.uint64_t(gdt), C.uint32_t(size-1))
}

// StartPaging gives a bare machine's processor page tables to begin with: of four
// levels, or on i386 of two. StartBoard comes behind it.
func (m *Machine) StartPaging(tables uint64) { C.board_paging(m.c, C.uint64_t(tables)) }

// BoardRegs reads a context's.
func (m *Machine) BoardRegs(c Ctx) (r BoardRegs) {
	m.slot(c)
	C.board_regs(m.c, C.int32_t(c), (*C.struct_board_regs)(unsafe.Pointer(&r)))
	return r
}

// FlushBoard has the engine forget translations of addresses: page tables may
// have changed by a Rewind.
func (m *Machine) FlushBoard() { C.board_flush(m.c) }

// HasPaging reports whether the engine translates addresses as page tables say:
// before 2.1 it takes each for its own translation.
func (m *Machine) HasPaging() bool {
	// The engine that is loaded is of the version compiled for (machine.c).
	return C.UC_API_MAJOR > 2 || C.UC_API_MINOR >= 1
}
