package emu

/*
#include "machine.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"landgo/internal/abi"
)

// FrameRoom is less than two threads' stack pointers are apart: a smaller change is a
// function's own frame.
const FrameRoom = C.FRAME_ROOM

// BoardRegs is the state of a bare machine's processor beside Regs.
type BoardRegs struct {
	CR0, CR2, CR3, CR4 uint64
	GDT, IDT           uint64
	GDTLimit, IDTLimit uint64
	CS, SS             uint64
	Task, TaskLimit    uint64 // the task's segment, in which the kernel's stack is told
}

// CR0's bit for paging.
const cr0Paging = C.CR0_PAGING

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

// BoardRegs reads a context's. They are kept until those of another one are read: a kernel's
// memory is looked at by its own addresses, mostly several times in one state.
func (m *Machine) BoardRegs(c Ctx) BoardRegs {
	s, k := m.slot(c), &m.board
	if n := uint64(s.saved); n == 0 || n != k.of || m.cfg.Script != nil { // a script's processor is in no context
		C.board_regs(m.c, C.int32_t(c), (*C.struct_board_regs)(unsafe.Pointer(&k.regs)))
		k.of = n
	}
	return k.regs
}

// board has the control registers that were read last: those of the CPU with this number (struct slot).
type board struct {
	regs BoardRegs
	of   uint64
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

// mapBoard makes the parts that only a bare machine has.
func (m *Machine) mapBoard() error {
	for _, d := range m.cfg.Devices {
		if msg := C.device_open(m.c, C.uint64_t(d.Addr)); msg != nil {
			return fmt.Errorf("can't map a device at %#x: %s", d.Addr, C.GoString(msg))
		}
		for _, at := range d.Plain {
			i := (at - d.Addr) / C.REGISTER_SIZE
			m.c.devices[m.c.ndevices-1].plain[i/64] |= 1 << (i % 64)
		}
	}
	if !m.cfg.Programs {
		return nil
	}
	if m.cfg.Mode != I386 || m.cfg.CodeBias == 0 {
		return errors.New("user programs are for kernels of i386 that live above them")
	}
	if msg := C.programs_open(m.c); msg != nil {
		return fmt.Errorf("can't set up the machine: %s", C.GoString(msg))
	}
	return nil
}

// DeviceBytes is a view of n bytes of a device's registers; nil if they aren't all in
// one page.
func (m *Machine) DeviceBytes(addr, n uint64) []byte {
	for i := range m.c.ndevices {
		d := &m.c.devices[i]
		if at := addr - uint64(d.addr); at < abi.PageSize && n <= abi.PageSize-at {
			return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(d.page), at)), n)
		}
	}
	return nil
}

// KeepKernel remembers a processor that is about to return to user mode, for
// EnterKernel.
func (m *Machine) KeepKernel(c Ctx) {
	m.slot(c)
	C.board_keep(m.c, C.int32_t(c))
}

// EnterKernel is a processor in user mode put into the kernel's, but for
// registers that an interrupt sets. False: the user program has changed state
// that isn't followed (segments, floating point). reuse: as in Run.
func (m *Machine) EnterKernel(c Ctx, reuse bool) (Ctx, bool) {
	m.slot(c)
	to := c
	if !reuse || len(m.marks) > 0 && int32(c) < m.marks[len(m.marks)-1].slots {
		to = m.newSlot()
	}
	ok := C.board_enter(m.c, C.int32_t(c), C.int32_t(to))
	return to, bool(ok)
}

// programs is, by page, whether user code was executed in it; nil without such.
func (m *Machine) programs() []uint8 {
	if m.c.programs == nil {
		return nil
	}
	return unsafe.Slice((*uint8)(m.c.programs), (m.space>>abi.PageShift)+1)
}

// staleProgram: memory at addr is written, in which user code was executed.
func (m *Machine) staleProgram(addr uint64) {
	for _, page := range [2]uint64{addr >> abi.PageShift, (addr + 7) >> abi.PageShift} {
		if page < m.space>>abi.PageShift {
			C.program_stale(m.c, C.uint64_t(page))
		}
	}
}

// HasPrograms reports whether user programs are followed.
func (m *Machine) HasPrograms() bool { return m.c.programs != nil }
