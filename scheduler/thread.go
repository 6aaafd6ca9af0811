package scheduler

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// stand says what a thread stands at between steps.
type Stand uint8

const (
	// StandRun: nothing in particular: a point after a release or a yield.
	StandRun Stand = iota
	// StandAccess: poised before a shared access.
	StandAccess
	// StandOp: at the entry of a trusted function that is one operation, or in
	// a later phase of one (a condition variable's reacquire).
	StandOp
	// StandTrap: before a trap that others could notice.
	StandTrap
	// StandSleep: asleep in the kernel's queues.
	StandSleep
	// StandSpin: an exact spin; waits for a write to what its loop reads.
	StandSpin
	// StandFailure: before an instruction or call that ends the guest with a
	// bug.
	StandFailure
	// StandExited: gone.
	StandExited
)

// Thread is what every kind of guest has of a thread.
type Thread struct {
	ID       trace.TID
	Parent   trace.TID
	Exists   bool // else it is a hole: its name was met, and it isn't created yet
	Stand    Stand
	Yielding bool
	Ctx      emu.Ctx
	// insns is the number of instructions that the thread has completed.
	Insns   uint64
	Access  trace.Access // StandAccess
	Failure *Failure     // StandFailure
	Waits   []trace.Access
	// regs is the register file at the last break, trap or fault.
	Regs     emu.Regs
	Created  uint64 // the return address of the creating call
	LastStep int32  // its latest step: its index in System.steps + 1
}

// thread is a guest thread's state. It is a plain value: System.save keeps a
// copy of it before each change, Rewind puts that copy back.
//
// invariant: slices in it are never changed in place.
type thread struct {
	Thread
	stander
	life
	call
}

// stander is how a thread stands between two instructions.
type stander struct {
	half uint32 // how many events it has made of the instruction before which it is
	// limited: it was stopped at its instruction number (Limit), perhaps at a
	// breakpoint that it hasn't reached otherwise.
	limited bool
	// framing: StandAccess is before what the kernel writes for the handler of a fault.
	framing bool
	loose   bool     // StandTrap: it touches more than its operation says
	trap    emu.Trap // StandTrap
	mapped  uint64   // the moment of its latest map, see System.progress
	// set says which of regs the next run has to write back.
	set emu.RegSet
	// pending is what it waits for, or does next: at StandSleep, an allocator's
	// function, phaseEnd.
	pending   trace.Op
	spinStand Stand // StandSpin: what it stands at otherwise
	// interrupted is where its stack pointer was when a signal came, while the
	// handler runs; else 0. See interrupt.go.
	interrupted uint64
	// effects counts what it did in the kernel, and what signals did to it.
	effects uint64
}

// life is a thread's beginning, end and stack.
type life struct {
	// starting: in the runtime's thread start, before the start routine.
	starting bool
	entry    uint64 // the start routine
	self     uint64 // pthread_t: the FS base at its start
	exitPC   uint64 // where the start routine returns to
	exitSP   uint64
	// stack is its stack pointer at its first instruction; ownStack: the C
	// library mapped that stack. childStack is the same of the thread being
	// created. childDetached: that one is created detached.
	stack                               uint64
	ownStack, childStack, childDetached bool
	entryOfChild                        uint64 // the start routine of the thread being created
	// born and joinedAt are when it was created and joined.
	born, joinedAt   moment
	joined, detached bool
	// native: the runtime's own exit code runs (destructors, clean-up handlers).
	native bool
	// atExit: if it ends the process, code of the guest's runs first.
	atExit bool
	cache  cache // see endcache.go
	retval uint64
	// leaving: it has called a thread library's thr_exit.
	leaving bool
	// Of a thread that landgo made (carried.go): roomAt is where its stack ends.
	// claimed: another thread joins it. vanished: it ended by a call of the kernel's.
	// fellOff: its function has returned.
	roomAt                     uint64
	claimed, vanished, fellOff bool
}

func (t *Thread) Live() bool { return t.Stand != StandExited }
