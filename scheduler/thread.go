package scheduler

import (
	"landgo/emu"
	"landgo/heap"
	"landgo/image"
	"landgo/trace"
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

// phase is how far a trusted operation of several steps has come.
type phase uint8

const (
	phaseEntry phase = iota
	// phaseQueued: enqueued at a condition variable, not yet signalled.
	phaseQueued
	// phaseReacquire: signalled; takes the mutex back.
	phaseReacquire
	// phaseStore: a create whose thread's name has yet to be stored.
	phaseStore
	// phaseEnd: before the end of a thread whose stack others use.
	phaseEnd
	// phaseLeave: arrived at a barrier; leaves when all have.
	phaseLeave
	// phaseAsleep: sleeps at a read-write lock that prefers writers (rwlock.go).
	phaseAsleep
	// phaseAgain: was woken there, and tries again.
	phaseAgain
	// phaseClaimed: it alone may join a thread, and waits for its end (carried.go).
	phaseClaimed
	// phaseSleeps: found a semaphore at 0, and sleeps (interruptedwait.go).
	phaseSleeps
	// phaseNap: asleep at a trap that is a sleep (nap.go).
	phaseNap
	// phaseTouch: before a call that touches what others do (door.go).
	phaseTouch
	// phaseTaken: a tested allocator is about to take a block back.
	phaseTaken
	// phaseGiven: a tested allocator is about to return a block.
	phaseGiven
)

// quiet is the frame of a trusted function that the guest's own code carries
// out without interruption: it extends to the return to ret at stack pointer
// sp.
type quiet struct {
	on    bool
	watch bool
	role  image.Role
	ret   uint64
	sp    uint64
	// own: the call is a step of its own (call.go). Of a create: id is where
	// the new thread's name goes, and what was there.
	own     bool
	id, was uint64
	// gives: a block that it allocates is its caller's.
	gives bool
	// insn is the number of instructions that the thread had completed at its entry.
	insn uint64
}

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

// call is what a thread is at in functions that landgo carries out or follows.
type call struct {
	role  image.Role // StandOp
	phase phase      // StandOp
	// args are the arguments of the function at whose entry it stands, or last
	// stood.
	args [4]uint64
	// timed: the operation has a deadline, in nanoseconds of virtual time.
	timed    bool
	badTime  bool // the operation is a try, for its deadline isn't a time
	released bool // phaseLeave: all have arrived at the barrier
	deadline uint64
	result   uint64        // StandOp: what the operation returns when it completes
	mutex    uint64        // StandOp in a condition wait: the mutex to take back
	quiet    quiet         // a function that the guest's own code carries out
	alloc    followed      // a call of an allocator that is followed
	texts    texts         // of a System with twins
	string   stringCall    // the string function that it entered last
	operator operatorFrame // a call of C++'s new or delete
	// inside are the calls of tested allocators under way, outermost first, and
	// given is the block that the one at whose return it stands gives out.
	inside []insideFrame
	given  *heap.Block // never changed in place; nil: none
	// release is the frame of a tested function after whose return there is a
	// preemption point.
	release quiet
	onces   []onceFrame // once routines under way, outermost first
	holds   []uint64    // addresses of mutexes held, oldest first
	// held are the waits that signals interrupted, outermost first.
	held []held
}

func (t *Thread) Live() bool { return t.Stand != StandExited }

// arg is the n-th integer argument (from 0) at a function's entry.
func (t *thread) arg(n int) uint64 { return t.args[n] }

// onceFrame is a once routine under way: landgo made its call a tail call, so
// that it returns to pthread_once's caller.
type onceFrame struct{ obj, sp, ret uint64 }
