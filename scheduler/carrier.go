package scheduler

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Functions of the guest that landgo carries out itself (locks, allocators, strings,
// threads) are a Carrier's business (package library). A System runs threads from point
// to point and asks its Carrier at breakpoints. It takes all that it knows of such
// functions from here.

// Carrier carries functions of the guest out. The parts may be one and the same.
type Carrier struct {
	Keeper
	Calls
	Watcher
	Signals
	Lives
	Memory
	Teller
	Waits
}

// Waits are waits that have a time at which they run out.
type Waits interface {
	// Deadlines calls f for the threads that wait so, or stand before such a wait, by TID.
	Deadlines(f func(t trace.TID, when uint64))
	// RunOut has a thread's wait run out in another thread's step. The thread goes on in its own.
	RunOut(trace.TID, *trace.Transition)
}

// Keeper has state beside the System's, of threads and of all else, that goes back with
// a mark.
type Keeper interface {
	// Keep keeps what is known of a thread, before it changes.
	Keep(trace.TID)
	// Mark marks the present state as number k. Later marks are gone.
	Mark(k trace.Mark)
	// Rewind takes up what was marked as number k. The machine is there already.
	Rewind(k trace.Mark)
	// Digest is of all objects.
	Digest() trace.Digest
	// HashThread hashes what is known of a thread, with its operation if it is at one.
	HashThread(t trace.TID, h *trace.Hash, atOp bool)
	// Texts says where the texts that a thread read last begins, and a hash of where all
	// ended, for twins.
	Texts(trace.TID) (last, ends uint64)
}

// Calls are the calls of the functions.
type Calls interface {
	// Boot begins, with the functions that have roles, by their first addresses, once the
	// kernel is there and before any thread is.
	Boot(k kernel.Kernel, roles map[uint64]profile.Bound)
	// Steps: a thread begins a step. Calls that it had begun show from here on.
	Steps(trace.TID, *trace.Transition)
	// AtBreak is asked where a thread has stopped at a breakpoint, of a class (emu.Stop.Break).
	AtBreak(trace.TID, uint8, *trace.Transition) (Verdict, error)
	// AtCallersReturn: a thread stands at a breakpoint that its function's caller has yet
	// to meet.
	AtCallersReturn(trace.TID) bool
	// Fell deals with a thread whose function has returned to nowhere.
	Fell(trace.TID, *trace.Transition) (bool, error)
	// CarriesOut: the function at an address is carried out wherever it is called by code that isn't
	// itself a function which landgo trusts.
	CarriesOut(pc uint64) bool
	// Arguments are the registers that landgo reads for the function at an address.
	Arguments(pc uint64) trace.RegSet
	// StepOp is the step of a thread that stands at a function (StandOp).
	StepOp(trace.TID, *trace.Transition, trace.Choice) error
}

// Watcher looks at what threads touch.
type Watcher interface {
	// Accessed looks at the accesses of a run, and may mark them; watched: the run was in a
	// function with RunsWatched.
	Accessed(t trace.TID, tr *trace.Transition, made []trace.Access, watched bool)
	// Meets: the function with RunsQuiet that a thread is in has touched what others use.
	Meets(trace.TID)
	// Stands: a thread stops in the midst of the function with RunsCalls that it is in.
	Stands(trace.TID)
	// CheckGuarded refuses accesses to objects past their functions.
	CheckGuarded(trace.TID, []trace.Access) error
}

// Signals come while a thread waits in a function.
type Signals interface {
	// Own: the functions send a signal themselves, for their own ends.
	Own(signal uint64) bool
	// Interrupted: a signal's handler begins, with its frame at an address. nap is the
	// sleep that it ends, if its Kind isn't 0. It returns the operations on which the
	// signal's effect depends.
	Interrupted(t trace.TID, signal, frame uint64, nap trace.Op) []trace.Op
	// InCall: a handler begins after a call of the kernel, in a function or not. The
	// stack pointer at its entry is frame. It returns to pc, with the stack pointer sp.
	InCall(t trace.TID, frame, pc, sp uint64)
	// ComesBack: the call of that name is the return to a function that was interrupted.
	ComesBack(trace.TID, string) bool
	// ComeBack: a handler with this frame has returned; next is the frame of one that
	// begins at once, or 0. It reports whether the thread waits again.
	ComeBack(t trace.TID, tr *trace.Transition, frame, next uint64) bool
}

// Lives are the lives of threads.
type Lives interface {
	// Born: a thread was created. roomAt is the value that Spawn was given.
	Born(child, parent trace.TID, roomAt uint64)
	// Yield is a voluntary switch.
	Yield(trace.TID, *trace.Transition) Verdict
	// Leave: a thread's own code calls the kernel to end it. It returns the bug that this
	// is, or nil.
	Leave(trace.TID, *trace.Transition) (*Failure, error)
	// LeaveProcess: a thread calls the kernel to end the process. It says why that isn't
	// the guest's own doing, or nil.
	LeaveProcess(trace.TID) error
	// EndsAt is where a thread's start routine returns to, if landgo ends the thread there,
	// with its result in RAX; else 0.
	EndsAt(trace.TID) uint64
	// Distrust leaves threads and locks to the guest's own code. It reports whether that
	// makes a difference.
	Distrust() bool
	// CatchUp: a schedule can't be followed, whose run may have known that signals come. It
	// reports whether that would make a difference here. Expect takes it for known.
	CatchUp() bool
	Expect()
}

// Memory knows the uses of the guest's memory.
type Memory interface {
	// Got: a thread got fresh memory from its kernel.
	Got(t trace.TID, addr, size uint64)
	// Drop: the contents of pages are gone.
	Drop(kernel.Pages)
	// StackEnds: a thread's stack ends with it, and other threads use these bytes of it. It records
	// the ends of the objects there.
	StackEnds(t trace.TID, tr *trace.Transition, addr, size uint64)
	// ObjectBytes are the address ranges of objects, in order.
	ObjectBytes() [][2]uint64
	// Owner is the thread that holds the lock at an address, or NoThread. plain: all that
	// a thread which wants it asks is whether another holds it.
	Owner(addr uint64) (owner trace.TID, plain bool)
	// Drains: the operation at which a thread stands empties its store buffer first.
	Drains(trace.TID) bool
	// WordName names an address that stands for something, where no guest has memory.
	WordName(addr uint64) (string, bool)
}

// Teller tells what threads are at in functions.
type Teller interface {
	Running(trace.TID) Running
	// DescribeOp fills in the status and the pending operation of a thread at a function,
	// and says what they depend on beside the thread's own state.
	DescribeOp(trace.TID, *trace.Thread) Watch
	// PendingOp is its operation, and Call the function's own, with where the call returns
	// to.
	PendingOp(trace.TID) trace.Op
	Call(trace.TID) (op trace.OpKind, ret uint64)
	// WaitOf says what it waits for; a thread that spins: in a lock's function; one that
	// sleeps: in the own code of a function whose meaning is known.
	WaitOf(trace.TID) (Wait, bool)
	// Unwritten is what a thread that has ended the process, by exit or as its last thread,
	// leaves in the library's buffer of standard output.
	Unwritten(trace.TID) Unwritten
	// Holds are the addresses of the mutexes that a thread holds, oldest first.
	Holds(trace.TID) []uint64
}

// Unwritten is text that the end of the process finds in a library's buffer.
type Unwritten struct {
	// Text is at address At; the function exit writes it.
	Text []byte
	At   uint64
	// Pointer is where the library keeps the text's length, which exit reads, or 0.
	Pointer uint64
	// Lost: the end writes nothing of that buffer, so only text flushed before shows.
	Lost bool
}

// Running says in which function a thread is that its own code carries out, as a set.
type Running uint8

const (
	// RunsFollowed: the guest's own allocator, whose accesses aren't looked at.
	RunsFollowed Running = 1 << iota
	// RunsQuiet: a trusted function, without interruption.
	RunsQuiet
	// RunsChecked: of that, one whose arguments may point to dead memory.
	RunsChecked
	// RunsWatched: one whose accesses are recorded.
	RunsWatched
	// RunsCreate: one that creates a thread.
	RunsCreate
	// RunsStep: one that is a step of its own.
	RunsStep
	// RunsTested: an allocator that is tested, in its own memory.
	RunsTested
	// RunsCalls: one whose calls of the kernel are steps (effects.go).
	RunsCalls
)

// Verdict is the consequence of a stop at a breakpoint.
type Verdict uint8

const (
	// Stay: the thread stands here; the step is over.
	Stay Verdict = iota
	// Step: run on, this instruction included.
	Step
	// Pass: run on from where the registers were set to.
	Pass
	// PassAllow: the same, and the next shared access still belongs to this step.
	PassAllow
)

// Carry has a Carrier carry functions out. It is called once, before Boot.
func (s *fixed) Carry(c Carrier) { s.lib = c }

// uncarried stands for the Carrier that is missing in a guest which schedules its
// threads itself. No thread of it is ever at a function, so only this is asked.
type uncarried struct {
	Keeper
	Calls
	Memory
	Teller
	Waits
}

// carrier is that as a Carrier.
func (u uncarried) carrier() Carrier {
	return Carrier{Keeper: u, Calls: u, Memory: u, Teller: u, Waits: u}
}

func (uncarried) Keep(trace.TID)                       {}
func (uncarried) Steps(trace.TID, *trace.Transition)   {}
func (uncarried) Mark(trace.Mark)                      {}
func (uncarried) Rewind(trace.Mark)                    {}
func (uncarried) Running(trace.TID) Running            { return 0 }
func (uncarried) Drains(trace.TID) bool                { return true }
func (uncarried) WaitOf(trace.TID) (w Wait, ok bool)   { return w, false }
func (uncarried) Holds(trace.TID) []uint64             { return nil }
func (uncarried) Deadlines(func(trace.TID, uint64))    {}
func (uncarried) Unwritten(trace.TID) (none Unwritten) { return none }
func (uncarried) WordName(uint64) (string, bool)       { return "", false }
