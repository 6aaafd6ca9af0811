package kernel

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// Effect is a trap's effect on other threads, real or foreseen.
type Effect uint8

const (
	// Local: nothing that another thread could tell; no preemption point.
	Local Effect = iota
	// Event: an operation that depends on others' (Op says which).
	Event
	// Invalid: not modelled; Reason says what, by name.
	Invalid
)

// Plan is the future effect of the trap at which a thread stands.
type Plan struct {
	Effect   Effect
	Op       trace.Op // for Event
	Blocked  bool     // it isn't possible now
	Outcomes uint32   // number of outcomes; 0 means 1
	Yield    bool     // a voluntary switch
	Unmasks  bool     // its thread takes signals after it that it didn't before
	Fences   bool     // it empties the store buffers of other threads' processors before it returns
	Lockless bool     // its thread's store buffer may be as it was when it returns
	Rests    []Bytes  // in memory, on which Lockless rests
	About    About    // what else about it matters to a search
	Name     string   // the call's name, for reports and certificates
	Reason   string   // for Invalid: one clause, e.g. "system call 41 (socket) is not modelled"
	Gap      Gap      // for Invalid: the kind of thing
}

// About says of a call what a scheduler can't know by its name, as a set.
type About uint8

const (
	// AboutThread: its thread tells of itself, as a library's code does in each new thread.
	AboutThread About = 1 << iota
	// AboutKept: it makes a difference to the call whether a signal is kept.
	AboutKept
	// AboutTimers: it makes a difference whether a timer has gone off, whose signal comes later.
	AboutTimers
	// AboutSuccess: it ends the process, with status 0.
	AboutSuccess
)

// Bytes are Size bytes of guest memory.
type Bytes struct{ Addr, Size uint64 }

// A Part is bytes that a call copies from the guest's memory, or to it, in a step of its own.
type Part struct {
	Addr  uint64
	Bytes []byte
}

// Copier is a kernel whose calls can copy memory in more than one step.
type Copier interface {
	// Divide has the calls that follow, foreseen ones too, take parts as earlier steps have read
	// them, and leave what they would write to later steps. Whole ends that. It returns what the
	// latest call has left, in order.
	Divide(read []Part)
	Whole() []Part
	// Holds has the locks and the file of the call at which t stands, until it has copied all. It
	// is a call that follows, for Divide.
	Holds(t trace.TID) Hold
}

// A Hold has the locks and the file of a call while it copies.
type Hold struct {
	Locks [2]uint64 // names of what the kernel locks meanwhile; 0: nothing
	File  uint64    // what its descriptor means, 0 if it has none
	Late  bool      // it copies before it locks, and not meanwhile
}

// Foresight lists the accesses of a call, were it made now.
type Foresight struct {
	// Accesses are the guest bytes and the words of the kernel's state that the call
	// would read or write for the thread, Others those for other threads. Valid until
	// the next call of the kernel.
	Accesses []trace.Access
	Others   []Deed
	// Pages are those whose contents or permissions the call would change.
	Pages []Pages
	// Ops are the operations that it would be.
	Ops []trace.Op
}

// A Deed is an access that a call makes as another thread than its caller: to a
// signal handler's frame on the stack of the thread that the signal interrupts.
type Deed struct {
	Thread trace.TID
	Access trace.Access
}

// Pages is a range of the guest's memory that a call takes away or changes. To
// a thread that uses them it is a write of all their bytes.
type Pages struct {
	Addr, Size uint64
	// New: the thread mapped them last, and no thread could use them so far. Unless it
	// has told others of them since, the change counts as part of the mapping.
	New bool
}

// Spawn describes a new thread.
type Spawn struct {
	Child trace.TID
	// Regs is the child's register file at its first instruction.
	Regs emu.Regs
}

// Outcome is the effect of a trap that was carried out.
type Outcome struct {
	Spawn *Spawn
	// Sleep: the calling thread now waits in a kernel queue (Pending names it)
	// until another's Outcome has it in Wakes, or until the kernel's Expire
	// lets it go.
	Sleep   bool
	Pending trace.Op
	// Wakes are threads that leave a kernel queue. Their result registers have
	// been set by the kernel through Host.SetResult.
	Wakes []trace.TID
	// Accesses are the guest bytes and the words of the kernel's state that the call
	// read or wrote for the thread, Others those for other threads.
	Accesses []trace.Access
	Others   []Deed
	// Pages are those whose contents or permissions the call changed.
	Pages []Pages
	// Emptied are those of Pages whose contents are gone: a store that is still on its way to them
	// isn't seen any more.
	Emptied []Pages
	// Fresh are pages that the call made accessible to the guest.
	Fresh Pages
	// Mapped are pages that the call gave out, and Unmapped those that it took
	// back: not pages that only changed their protection, nor the break.
	Mapped, Unmapped Pages
	// Moved: the contents of Unmapped are at the beginning of Mapped now, with what is still on its way
	// to them.
	Moved bool
	// Kept is the number of bytes of Mapped, from their beginning on, that keep
	// their contents.
	Kept uint64
	// Ops are the operations that the call was, but for creations, exits and
	// the process's end, which the scheduler records itself.
	Ops []trace.Op
	// ExitThread, ExitProcess: the caller, or all threads, end with Status.
	ExitThread, ExitProcess bool
	Status                  int
	// SetsStatus: the call sets the process's future status.
	SetsStatus bool
	// Signal, if not 0, ends the process by that signal (abort: 6).
	Signal int
	// Why says what brought the signal about, if it isn't empty: a clause that ends before
	// the name of what has the word at About.
	Why   string
	About uint64
	// Invalid, if not empty, is why the guest can't be controlled further, and
	// Gap the kind of thing.
	Invalid string
	Gap     Gap
	// Posts: the call sent another thread a signal that arrives later.
	Posts bool
	// Held: the caller goes on when it has taken the signals that are on their way to it.
	Held bool
	// Late: signals are on their way to the caller, and it doesn't take them at the end of this call.
	Late bool
	// Idle: the call changed nothing that a thread can observe (a yield, a wake
	// without a waiter, a wait that found another value, a look at the clock).
	// A loop around it can be an exact spin.
	Idle bool
	// Resume, with RestoreCPU, is a CPU state that Host.CPU gave. The thread
	// goes on with its vector and floating-point registers, and with the
	// general registers that Do returned (the return from a signal handler).
	RestoreCPU bool
	Resume     emu.Ctx
	// Interrupted, if not 0, is the stack pointer at the entry of a signal
	// handler that the caller enters. Otherwise it goes back to the place where
	// Do began or, with RestoreCPU, to the place after that handler's return.
	Interrupted uint64
}

// Timer is the state of a timer that sends a signal.
type Timer struct {
	Thread trace.TID // that would take the signal; NoThread unless Set
	Signal uint64
	Set    bool // it goes off some time, and has an effect
	Comes  bool // it would have an effect now
	Last   bool // it is a watchdog: it goes off where nothing else can be done
}

// Host is the scheduler's service to a kernel.
type Host struct {
	Machine *emu.Machine
	Threads
	Interrupter
}

// Threads are a Host's.
type Threads interface {
	// Intern names the n-th child (from 1) of parent, always the same TID for
	// the same pair. It returns an error when there are too many threads.
	Intern(parent trace.TID, n uint64) (trace.TID, error)
	// Name is the thread's path name ("0", "0.1", ...).
	Name(t trace.TID) string
	// SetResult sets the result register of a thread that is asleep in the
	// kernel.
	SetResult(t trace.TID, v uint64)
	// Regs is the register file of a thread that isn't running: at its trap, at
	// a preemption point, or asleep (then as Do left it).
	Regs(t trace.TID) *emu.Regs
	// Stack is the call stack of the thread whose call is carried out: program counters,
	// innermost first.
	Stack(t trace.TID) []uint64
	// SetRegs makes a thread that isn't running, and isn't the caller, go on
	// with other registers. A half-executed instruction is dropped: it will be
	// executed again from its start.
	SetRegs(t trace.TID, regs *emu.Regs)
}

// Leaver is a kernel that wants to know of threads whose end landgo carries out.
type Leaver interface {
	// Leave is such an end. It returns the threads whose sleep that ends, and the operations
	// that it was.
	Leave(trace.TID) ([]trace.TID, []trace.Op)
}

// Interrupter puts signals' handlers between a thread's instructions.
type Interrupter interface {
	// Interrupt has a thread that isn't running go on with a handler's registers,
	// between two of its instructions.
	Interrupt(t trace.TID, regs *emu.Regs)
	// CPU names the whole CPU state in which such a thread, or the caller, stands.
	CPU(t trace.TID) emu.Ctx
	// Arrival says when a signal that another thread sends to t reaches it.
	Arrival(t trace.TID) Arrival
	// TakesInCall reports whether a handler may come where t's call returns: it isn't one of
	// a trusted function.
	TakesInCall(t trace.TID) bool
	// KeepCPU has the caller leave such a state as it is, which Resume goes on with.
	KeepCPU(c emu.Ctx)
}

// Arrival says when a signal reaches the thread that another one sends it to.
type Arrival uint8

const (
	// ArrivesAtOnce: in the step that sends it.
	ArrivesAtOnce Arrival = iota
	// Arrives: in a step of its own.
	Arrives
	// ArrivesInCall: in a step of its own, before the thread leaves the call from which it was
	// woken.
	ArrivesInCall
	// NoArrival: there are too many threads to name the signal's way as one more.
	NoArrival
)

// Kernel answers the traps of one guest.
type Kernel interface {
	// Plan is the future effect of the trap at which t stands. No effect.
	Plan(t trace.TID, trap emu.Trap) Plan
	// Foresee lists the accesses of carrying it out: if other threads share
	// that memory, a Local call is an event too. No effect; of a plan that is
	// possible only.
	Foresee(t trace.TID, trap emu.Trap) Foresight
	// Do carries it out with outcome c. It sets t's result register and
	// program counter through the *emu.Regs it gets (the scheduler writes them
	// back); blocked plans are never done.
	Do(t trace.TID, trap emu.Trap, c trace.Choice, regs *emu.Regs) Outcome
	// Fault gives the kernel a chance to handle a fault (a user exception
	// handler, a signal handler) by changing regs; false: the fault is a bug.
	Fault(t trace.TID, f emu.Fault, regs *emu.Regs) bool
	// Deadlines calls f for the sleeping threads whose waits have a time at which they run out, by
	// TID: in nanoseconds of virtual time. No effect.
	Deadlines(f func(t trace.TID, ns uint64))
	// Expire lets thread t's timed wait run out. The scheduler calls it when no
	// thread can run, after AdvanceTo. It sets t's result through Host.SetResult.
	Expire(t trace.TID)
	// AdvanceTo moves the virtual clock (CLOCK_REALTIME), in nanoseconds, forward; never
	// back.
	AdvanceTo(ns uint64)
	// Output is the guest's output so far in this execution, by descriptor.
	Output(fd int) []byte
}
