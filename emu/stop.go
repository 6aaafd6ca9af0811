package emu

// #include "machine.h"
import "C"

import "landgo/internal/trace"

// Why says why a run stopped.
type Why uint8

const (
	StopNone Why = C.STOP_NONE
	// StopAccess: poised before a shared access (Stop.Access), which hasn't
	// happened. If an instruction has several accesses on a multiprocessor,
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
	// Port is the value that a permitted instruction has written to a port.
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
