package emu

// #include "machine.h"
import "C"

import (
	"unsafe"

	"landgo/internal/trace"
)

// Private marks, in the Flags of a record that RecordAll asked for, an access
// to memory that no other thread has touched.
const Private trace.AccessFlags = C.ACCESS_PRIVATE

// Mode is the processor mode.
type Mode uint8

const (
	X86_64 Mode = iota
	I386
)

// Prot is a set of page permissions. Checked by the machine's own hooks, per
// 4 KiB page, so that changing them costs no call into the engine.
type Prot uint8

const (
	ProtRead  Prot = C.PERM_READ
	ProtWrite Prot = C.PERM_WRITE
	ProtExec  Prot = C.PERM_EXEC

	// NoAccess is of a page that is in a map and allows nothing. It is distinguished from a page
	// in no map by MapEnd and HoleEnd only: Prot and its like call both 0.
	NoAccess Prot = 0x40
)

// ProtOf makes a Prot of single permissions.
func ProtOf(read, write, exec bool) Prot {
	var p Prot
	if read {
		p |= ProtRead
	}
	if write {
		p |= ProtWrite
	}
	if exec {
		p |= ProtExec
	}
	return p
}

// Config describes a machine.
type Config struct {
	Mode Mode
	// Space is the size in bytes of the guest's address space [0, Space), a
	// multiple of 4096. It is reserved, not allocated. Default 128 GiB (i386:
	// 4 GiB).
	Space uint64
	// Code lists the page-aligned ranges [Lo, Hi) that may hold instructions.
	// Execution anywhere else is a fault. They are mapped into the engine
	// read-execute, all else read-write.
	Code []Range
	// Heap is memory that is handed out in blocks. Outside of Quiet runs
	// without Check, an access to its bytes is a fault if none of them is
	// alive. Both ends are multiples of 64. See Alive.
	Heap Range
	// HeapHole is a part of Heap that isn't; empty: there is none.
	HeapHole Range
	// HeapOpen: all bytes of Heap are alive until Alive says otherwise.
	HeapOpen bool
	// Ahead lists code that may read Heap beyond a block's end: functions that
	// read whole vectors. They may read up to 64 bytes beyond a block's end,
	// and 16 before its start.
	Ahead []Range
	// Uniprocessor makes an instruction one event, however many accesses it
	// makes (no split).
	Uniprocessor bool
	// Bare: the guest is a kernel that owns the machine. Space is its memory, and
	// all addresses are physical ones, but for those of instructions: of code,
	// Code and Stop.PC are virtual addresses. Those from CodeBias on are above the
	// physical ones by it, those below are physical; CodeBias is 0 or beyond Space.
	// Privileged instructions stop a run unless they are permitted.
	Bare     bool
	CodeBias uint64
	// Devices are pages of registers beyond Space, on a bare machine. An access
	// stops the run; the instruction is then permitted, and finds the given
	// bytes in the page of DeviceBytes. Two at most.
	Devices []Device
	// Programs: the kernel of a bare machine runs user programs, below CodeBias: code
	// that it puts into memory. It is i386, and its page tables have two levels.
	Programs bool
	// NoEngine: the machine has memory, marks and what is known of sharing, and no
	// processor but that of its Script; without one nothing runs. For tests.
	NoEngine bool
	Script   Script
}

// Range is an address range [Lo, Hi).
type Range = trace.Range

// Device is a page of registers. Those at Plain, 16 bytes each, are read without a stop.
type Device struct {
	Addr  uint64
	Plain []uint64
}

// Ctx names a saved CPU state (a slot in the machine's stack of contexts,
// bytes of a half-executed instruction included). Slots are released by
// Rewind.
type Ctx int32

// Regs is the general register file, and FPU the rest of the registers.
type (
	Regs = trace.Regs
	FPU  = trace.FPU
)

// Differing are the registers that two processors have differently.
func Differing(r, o *Regs) (set trace.RegSet) {
	a, b := (*[nregs]uint64)(unsafe.Pointer(r)), (*[nregs]uint64)(unsafe.Pointer(o))
	for i := range a {
		if a[i] != b[i] {
			set |= 1 << i
		}
	}
	return set
}

// nregs is the number of registers of Regs.
const nregs = C.NREGS
