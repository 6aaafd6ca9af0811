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

	// NoAccess is of a page that is in a map and allows nothing. It is told from a page
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
type Range struct{ Lo, Hi uint64 }

// Device is a page of registers. Those at Plain, 16 bytes each, are read without a stop.
type Device struct {
	Addr  uint64
	Plain []uint64
}

// Ctx names a saved CPU state (a slot in the machine's stack of contexts,
// bytes of a half-executed instruction included). Slots are released by
// Rewind.
type Ctx int32

// Regs is the general register file.
type Regs = trace.Regs

// RegSet selects registers of Regs, bit i for the i-th field.
type RegSet uint32

// The registers a Run can set.
const (
	SetRAX RegSet = 1 << iota
	SetRBX
	SetRCX
	SetRDX
	SetRSI
	SetRDI
	SetRBP
	SetRSP
	SetR8
	SetR9
	SetR10
	SetR11
	SetR12
	SetR13
	SetR14
	SetR15
	SetRIP
	SetRFLAGS
	SetFSBase
	SetGSBase
	SetAll RegSet = 1<<nregs - 1
)

// Differing are the registers that two processors have differently.
func Differing(r, o *Regs) (set RegSet) {
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

// RunFlags choose a run's stops and its records.
type RunFlags uint32

const (
	// StopShared: stop before the (Allow+1)-th event on shared memory.
	StopShared RunFlags = C.RUN_STOP_SHARED
	// StopAtomic: the same for events of atomic instructions only.
	StopAtomic RunFlags = C.RUN_STOP_ATOMIC
	// Solo: no other thread exists: accesses set no owner, are no events.
	Solo RunFlags = C.RUN_SOLO
	// Quiet: trusted code: no stops at accesses, no records, no owners.
	// Breakpoints, traps, faults and the budget still stop.
	Quiet RunFlags = C.RUN_QUIET
	// Watch (with Quiet): for trusted code that reads or writes the user's
	// memory (stdio). Accesses to granules that untrusted code of another
	// thread has touched are recorded (and learned as shared), without
	// stopping.
	Watch RunFlags = C.RUN_WATCH
	// RecordAll: record private accesses too (reports, heap, races). A record
	// of a private access has no influence on stops.
	RecordAll RunFlags = C.RUN_RECORD_ALL
	// TracePCs: keep the program counters of the run's instructions (the last
	// 4096), for spin detection and reports.
	TracePCs RunFlags = C.RUN_TRACE
	// IgnoreBreaks: don't stop at breakpoints.
	IgnoreBreaks RunFlags = C.RUN_IGNORE_BREAKS
	// Check (with Quiet): accesses to Config.Heap are checked all the same.
	Check RunFlags = C.RUN_CHECK
	// Unchecked: accesses to Config.Heap aren't checked (an allocator's own).
	Unchecked RunFlags = C.RUN_UNCHECKED
	// StopPoints: as StopShared, for events of the instructions that
	// Machine.Points names only. Allow covers the run's first events, named
	// or not.
	StopPoints RunFlags = C.RUN_STOP_POINTS
	// Hash: Machine.Path takes in the instructions, and the addresses of loads
	// and stores, outside of Config.Ahead.
	Hash RunFlags = C.RUN_HASH
	// StackLoads (bare): each load of the stack pointer stops, one within a
	// function's frame too.
	StackLoads RunFlags = C.RUN_STACK_LOADS
	// Intrudes: the thread is in a handler that came between its instructions.
	// Memory that it touches outside of Own is shared from then on.
	Intrudes RunFlags = C.RUN_INTRUDES
	// Fills (bare, with Programs): rep stos stops as a privileged instruction does.
	Fills RunFlags = C.RUN_FILLS
	// Faults: an access that faults is an event too, if threads share the
	// memory: its result depends on other threads' changes of the page. It is
	// recorded as a read.
	Faults RunFlags = C.RUN_FAULTS
	// Narrate has Machine.Told tell what the run did, trusted code's part included.
	Narrate RunFlags = C.RUN_NARRATE
	// Fences: stop before an instruction that waits until its processor's store buffer
	// is empty: mfence, locked instructions, cpuid.
	Fences RunFlags = C.RUN_FENCES
	// Parties: the thread switches between threads of the guest's own, see Machine.Party.
	// Each counts as one that memory is shared with.
	Parties RunFlags = C.RUN_PARTIES
)

// Run is the order for one run of the CPU.
type Run struct {
	From   Ctx
	Thread trace.TID
	Flags  RunFlags
	// Allow is the number of shared events that the run may make before
	// StopShared, StopAtomic or StopPoints stops it. It is 1 to execute the
	// access that the thread is poised at, 0 after something else was the
	// step's event.
	Allow uint32
	// Budget is the number of instructions after which the run stops with
	// StopBudget; 0: no limit.
	Budget uint64
	// StopAt, if not 0, stops before the run's StopAt-th instruction (from 1)
	// with StopInsn.
	StopAt uint64
	// Set and Regs: registers to write before the first instruction. Setting
	// RIP drops a half-executed instruction.
	Set  RegSet
	Regs Regs
	// SkipBreak: don't stop at a breakpoint on the run's first instruction.
	SkipBreak bool
	// SkipFence: don't stop at such an instruction if it is the run's first.
	SkipFence bool
	// Permit, on a bare machine, has the engine carry the first instruction out
	// although it is one that stops with StopPrivileged.
	Permit bool
	// Port is what such an instruction reads from a port, in its lowest bytes.
	Port uint32
	// User: the processor is in user mode.
	User bool
	// Blind is memory whose accesses are journaled, and nothing else.
	Blind Range
	// Beneath is the memory below the thread's stack, whose lowest byte is at
	// StackLow. A store there is a fault, with the stack pointer there too or
	// by an instruction that pushes.
	Beneath  Range
	StackLow uint64
	// Own, with Intrudes, is the handler's part of the thread's stack.
	Own Range
	// Reuse: From isn't needed any more. If it is younger than the latest
	// mark, its slot is used for the result (Stop.Ctx == From), so that long
	// runs without marks don't pile up contexts.
	Reuse bool
}

// Why says why a run stopped.
type Why uint8

const (
	StopNone Why = C.STOP_NONE
	// StopAccess: poised before a shared access (Stop.Access), which hasn't
	// happened. Of an instruction with several accesses on a multiprocessor,
	// the earlier ones have: its reads are in the context, its stores in
	// memory.
	StopAccess Why = C.STOP_ACCESS
	// StopBreak: before an instruction with a breakpoint (Stop.Break).
	StopBreak Why = C.STOP_BREAK
	// StopTrap: before a syscall, int n, sysenter instruction.
	StopTrap Why = C.STOP_TRAP
	// StopFault: before an instruction that faults (Stop.Fault).
	StopFault Why = C.STOP_FAULT
	// StopBudget, StopInsn: before the instruction that would exceed them.
	StopBudget Why = C.STOP_BUDGET
	StopInsn   Why = C.STOP_INSN
	// StopPrivileged: before hlt, cli, sti, in, out and other instructions for
	// a bare machine only (Stop.Detail names it, Trap.Len is its length).
	StopPrivileged Why = C.STOP_PRIVILEGED
	// StopUnmodelled: an instruction that isn't modelled (AVX, rdrand, x87
	// state tricks, ...); Stop.Detail names it.
	StopUnmodelled Why = C.STOP_UNMODELLED
	// StopDevice: before an access to registers of a device, of Config.Devices
	// (Stop.Device).
	StopDevice Why = C.STOP_DEVICE
	// StopFence: before an instruction that Fences stops at.
	StopFence Why = C.STOP_FENCE
)

// Trap describes the trap instruction that a run stopped before.
type Trap struct {
	Syscall  bool  // syscall instruction (64-bit)
	Sysenter bool  // sysenter instruction (32-bit)
	Vector   uint8 // int n, otherwise
	Len      uint8 // its length: the kernel continues at RIP+Len
}

// FaultKind is a kind of processor fault.
type FaultKind uint8

const (
	FaultNone       FaultKind = C.FAULT_NONE
	FaultRead       FaultKind = C.FAULT_READ       // page not readable or not mapped, non-canonical address
	FaultWrite      FaultKind = C.FAULT_WRITE      // page not writable or not mapped, non-canonical address
	FaultFetch      FaultKind = C.FAULT_FETCH      // jump to where no code is
	FaultDivide     FaultKind = C.FAULT_DIVIDE     // #DE
	FaultIllegal    FaultKind = C.FAULT_ILLEGAL    // #UD: ud2 or no such instruction
	FaultProtection FaultKind = C.FAULT_PROTECTION // #GP: a segment or descriptor that isn't there
	FaultBreakpoint FaultKind = C.FAULT_BREAKPOINT // int3
	FaultBlockRead  FaultKind = C.FAULT_BLOCK_READ // of bytes of Config.Heap that are in no block
	FaultBlockWrite FaultKind = C.FAULT_BLOCK_WRITE
	FaultStack      FaultKind = C.FAULT_STACK // a store below the thread's stack, see Run.Beneath
)

// Fault is a processor fault. The machine is as before the instruction.
type Fault struct {
	Kind FaultKind
	Addr uint64 // the address, for read, write, fetch
	Size uint32
}

// DeviceAccess is an access to a device's registers; Size is 0 if there is none.
type DeviceAccess struct {
	Addr  uint64
	Size  uint32
	Write bool
}

// Stop is the result of a run, valid until the next one.
type Stop struct {
	Why Why
	// Ctx is the slot in which the CPU's state at the stop was saved.
	Ctx Ctx
	PC  uint64 // of the next instruction
	// Insns is the number of instructions completed in the run; a
	// half-executed one counts when it completes.
	Insns uint64
	// Half: the thread is inside an instruction (see StopAccess).
	// Parts is how many of its events it has made.
	Half  bool
	Parts uint32
	// Access is, for StopAccess, the event that comes next (Insn 0). Of an
	// instruction that makes several accesses but is one event, the smallest
	// range that has them all.
	Access trace.Access
	Break  uint8 // for StopBreak: the breakpoint's class
	Trap   Trap
	Fault  Fault
	// Raised is, for StopFault, whether the processor reports the fault to the
	// guest's kernel, as exception Trap.Vector with an error code. The
	// instruction behind a breakpoint instruction is Trap.Len further.
	Raised    bool
	ErrorCode uint32
	// Device is the access of StopDevice, or of a permitted instruction the last store
	// to a device.
	Device DeviceAccess
	// Port is what a permitted instruction has written to a port.
	Port   uint32
	Detail string
	// Regs is filled in for StopBreak, StopTrap, StopFault, StopPrivileged,
	// StopUnmodelled.
	Regs Regs
	// Accesses are the run's recorded accesses, in program order, in the
	// machine's own memory: copy before the next run.
	Accesses []trace.Access
	// Fences are the run's instructions that empty the processor's store buffer (mfence,
	// locked ones, cpuid): for each the number of Accesses before it, ascending. At most
	// the first 16 places.
	Fences []uint32
	// Learned: memory was touched by a second thread for the first time, and
	// the first one's accesses had not been recorded.
	Learned bool
	// Jumped, with Parties: a handler of Machine.SetInterrupted was left by a jump.
	Jumped bool
	// PCs, with TracePCs: program counters of the completed instructions,
	// oldest first, at most the last 4096.
	PCs []uint64
}

// The values of Stop.Detail if a guest tries to change code, which the machine
// keeps as it was at the start (fault.c).
const (
	StoreIntoCode = "a store into code"
	CodeMade      = "code made at run time"
)
