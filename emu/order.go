package emu

// #include "machine.h"
import "C"

import "landgo/internal/trace"

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
	// Overhear: as RecordAll, of trusted code too. Repeats are recorded. What trusted code accesses
	// of memory that it isn't watched in counts as private.
	Overhear RunFlags = C.RUN_OVERHEAR
)

// MaxLinks is how many links of frames a run can be given.
const MaxLinks = C.MAX_LINKS

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
	Set  trace.RegSet
	Regs Regs
	// SkipBreak: don't stop at a breakpoint on the run's first instruction.
	SkipBreak bool
	// SkipFence: don't stop at such an instruction if it is the run's first.
	SkipFence bool
	// Permit, on a bare machine, has the engine carry the first instruction out
	// although it is one that stops with StopPrivileged.
	Permit bool
	// Port is the value that such an instruction reads from a port, in its lowest bytes.
	Port uint32
	// User: the processor is in user mode.
	User bool
	// Blind is memory whose accesses are journaled, and nothing else.
	Blind Range
	// Links are where a walk along frame pointers reads: LinkSize bytes from each. Such a
	// read is as one of Blind. There are at most MaxLinks.
	Links    []uint64
	LinkSize uint32
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
