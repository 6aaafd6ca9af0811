package emu

// #include "classify.h"
// #include "machine.h"
import "C"

import (
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Layouts that both languages describe, since records are read in place. A
// difference doesn't compile: it is the index of an array of one element.

type one [1]struct{}

var _ = [...]struct{}{
	one{}[C.ACCESS_WRITE^trace.Write],
	one{}[C.ACCESS_ATOMIC^trace.Atomic],
	one{}[C.ACCESS_RMW^trace.RMW],
	one{}[C.ACCESS_SILENT^trace.Silent],
	one{}[C.ACCESS_FAILED_CAS^trace.FailedCAS],

	one{}[C.sizeof_struct_access^unsafe.Sizeof(trace.Access{})],
	one{}[unsafe.Offsetof(C.struct_access{}.addr)^unsafe.Offsetof(trace.Access{}.Addr)],
	one{}[unsafe.Offsetof(C.struct_access{}.pc)^unsafe.Offsetof(trace.Access{}.PC)],
	one{}[unsafe.Offsetof(C.struct_access{}.size)^unsafe.Offsetof(trace.Access{}.Size)],
	one{}[unsafe.Offsetof(C.struct_access{}.insn)^unsafe.Offsetof(trace.Access{}.Insn)],
	one{}[unsafe.Offsetof(C.struct_access{}.flags)^unsafe.Offsetof(trace.Access{}.Flags)],

	one{}[C.sizeof_struct_told^unsafe.Sizeof(Told{})],
	one{}[unsafe.Offsetof(C.struct_told{}.insn)^unsafe.Offsetof(Told{}.Insn)],
	one{}[unsafe.Offsetof(C.struct_told{}.size)^unsafe.Offsetof(Told{}.Size)],
	one{}[unsafe.Offsetof(C.struct_told{}.what)^unsafe.Offsetof(Told{}.What)],

	one{}[C.sizeof_struct_undo^unsafe.Sizeof(undoEntry{})],
	one{}[unsafe.Offsetof(C.struct_undo{}.old)^unsafe.Offsetof(undoEntry{}.old)],

	one{}[C.PAGE_SHIFT^abi.PageShift],
	one{}[C.FLAG_INTERRUPT^abi.IF],
	one{}[C.FLAG_AC^abi.AC],
	one{}[C.ENTRY_PRESENT^abi.EntryPresent],
	one{}[C.ENTRY_LARGE^abi.EntryLarge],
	one{}[C.VECTOR_DIVIDE^abi.DivideError],
	one{}[C.VECTOR_DEBUG^abi.DebugException],
	one{}[C.VECTOR_BREAKPOINT^abi.Breakpoint],
	one{}[C.VECTOR_ILLEGAL^abi.IllegalOpcode],
	one{}[C.VECTOR_DOUBLE^abi.DoubleFault],
	one{}[C.VECTOR_PROTECTION^abi.GeneralProtection],
	one{}[C.VECTOR_PAGE^abi.PageFault],

	one{}[(1<<nregs-1)^trace.AllRegs],
	one{}[nregs*8^unsafe.Sizeof(Regs{})],
	one{}[1<<C.REG_RSP^trace.RSP],
	one{}[C.REG_RSP*8^unsafe.Offsetof(Regs{}.RSP)],
	one{}[C.REG_R8*8^unsafe.Offsetof(Regs{}.R8)],
	one{}[C.REG_RIP*8^unsafe.Offsetof(Regs{}.RIP)],
	one{}[C.REG_GSBASE*8^unsafe.Offsetof(Regs{}.GSBase)],

	one{}[C.sizeof_struct_board_regs^unsafe.Sizeof(BoardRegs{})],
	one{}[unsafe.Offsetof(C.struct_board_regs{}.gdt)^unsafe.Offsetof(BoardRegs{}.GDT)],
	one{}[unsafe.Offsetof(C.struct_board_regs{}.cs)^unsafe.Offsetof(BoardRegs{}.CS)],
	one{}[unsafe.Offsetof(C.struct_board_regs{}.task)^unsafe.Offsetof(BoardRegs{}.Task)],
}
