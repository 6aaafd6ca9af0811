package trace

import "fmt"

// OpKind is a kind of synchronisation operation. Package por has the table
// that says which kinds depend on which.
type OpKind uint8

// The operations. Obj names the object (its address; a thread's TID for
// create, start, exit, join, detach; a resource number for system calls).
const (
	OpNone   OpKind = iota
	OpAccess        // a plain access: only in Thread.Pending, never in Transition.Ops

	OpCreate // Obj: the child's TID
	OpExit   // Obj: the thread's own TID
	OpJoin   // Obj: the joined thread's TID; blocks until its OpExit
	OpTryJoin
	OpTryJoinFail
	OpDetach // Obj: the detached thread's TID
	OpCancel // a signal to another thread. Obj: its TID; Arg: the signal, 0 if there is none or no thread to get it, or PassedOver
	OpPost   // the same for a signal that arrives later, in a step of its own. Obj, Arg: as of OpCancel
	OpTurn   // a step of a thread that others send signals to. Obj: its own TID
	OpName   // names a thread to a function, which the thread has to be there for. Obj: its TID

	OpLock // blocks while held
	OpTryLock
	OpTryLockFail
	OpUnlock
	OpMutexInit
	OpMutexDestroy

	// A wait on a condition variable is two steps. One has OpUnlock on the
	// mutex and OpCondWait (enqueue) on the variable. The other, once
	// signalled, begins with OpLock on the mutex.
	OpCondWait
	OpCondSignal
	OpCondBroadcast
	OpCondTimeout // a timed wait runs out: leaves the queue
	OpCondInit
	OpCondDestroy
	OpCondLook // changes nothing: the next operations depend on the waiting threads

	OpSemWait // blocks while the value is 0; Arg: the value before
	OpSemTryWait
	OpSemTryWaitFail
	OpSemPost // Arg: the value before
	OpSemGet
	OpSemInit
	OpSemDestroy

	OpReadLock // blocks while held for writing
	OpTryReadLock
	OpTryReadLockFail
	OpWriteLock // blocks while held
	OpTryWriteLock
	OpTryWriteLockFail
	OpReadQueue  // goes to sleep at a lock that prefers writers, until it is woken to try again
	OpWriteQueue // the same; keeps readers out
	OpReadUnlock
	OpWriteUnlock
	OpRWInit
	OpRWDestroy

	OpBarrierArrive // Arg: see Gathers
	OpBarrierLeave  // blocks until all have arrived
	OpBarrierInit
	OpBarrierDestroy

	OpOnce     // a once call begins the routine, or the routine has ended (Arg); blocks while another runs it
	OpOnceLook // finds the routine under way, and changes nothing
	OpOncePass // finds the routine done, and changes nothing

	// A call on a futex reads and writes the word by accesses; its operation is on the queue only.
	OpFutexWait // finds the value that it expects, and enqueues
	OpFutexLook // finds another value, and leaves the queue as it is
	OpFutexWake
	OpFutexMiss // a wake that finds no waiter
	OpFutexRequeue
	OpFutexTimeout
	OpFutexLockPI // took one
	OpFutexTryPI  // took one by a try
	OpFutexUnlockPI

	OpDeschedule   // Obj: the thread's own TID; reads the reject word
	OpMakeRunnable // Obj: the target's TID

	// Of memory blocks: Obj and Size are the block's, and every access to its
	// bytes depends on them.
	OpFree  // the block's life ends (free, realloc)
	OpReuse // a block that was free before is given out again
	// With store buffers: a page is taken away, is another one, or allows something else. What
	// a buffer takes or answers depends on it too.
	OpPage

	OpYield   // a voluntary switch: depends on nothing
	OpSleep   // depends on nothing under the default time model
	OpTime    // reads the clock
	OpAdvance // the clock moves on
	OpSyscall // Obj: a resource number; Arg: 1 if it changes the resource
	OpSend    // puts something into an object of the kernel's (a pipe), or closes an end of it
	OpReceive // takes something out of one, or begins to sleep for it

	// On one processor: a section without interrupts begins and ends. Nothing
	// comes between; its accesses are its dependences.
	OpInterruptsOff
	OpInterruptsOn

	// An operation of the guest's own object begins or is over (landgo_op_begin, landgo_op_end).
	// Obj: the object. Each end depends on each beginning, so that a trace has one order of
	// operations in real time.
	OpCallBegins
	OpCallEnds
	OpJudged // the step may change what a condition reads (landgo_always): such steps have one order
	// Store buffers, where a thread empties those of all (membarrier). Obj: the thread whose
	// buffer it is; none for OpFenceAll.
	OpFenceAll // begins: each buffer is to be empty once before the thread goes on
	OpStores   // a step puts a store into its thread's buffer
	OpStored   // a store leaves a buffer
	OpDrained  // is possible while the buffer is empty

	OpEnd // the process's end: depends on every step of a live thread

	// Of data, and of the world: they depend on nothing.
	OpChoose // the guest was given a value. Obj: how many there are; Arg: which
	OpAssume // the guest's assumption doesn't hold: blocks for ever
	OpFault  // a call fails because the search has it fail. Obj: the FaultKind; Arg: what was asked for

	NumOps
)

// PassedOver is OpCancel's Arg where the thread could have got a signal, and another thread's step
// decides whether it does. With the signal's number beside it, the signal was on its way to the
// thread, and is taken from it.
const PassedOver = 1 << 16

// Arrives is in OpCancel's Arg where the signal was sent before, and arrives.
const Arrives = 1 << 17

// Returns is OpFree's Arg where a function returns. Obj and Size: the part of its thread's stack with
// variables that other threads use, which end.
const Returns = 1

// Signal is the signal that an operation sends to another thread, or that arrives there, or 0.
func (o *Op) Signal() uint64 {
	if o.Kind != OpCancel && o.Kind != OpPost || o.Arg&PassedOver != 0 {
		return 0
	}
	return o.Arg &^ Arrives
}

// Caught is the signal that an operation finds on its way to another thread, and takes from
// it, or 0.
func (o *Op) Caught() uint64 {
	if o.Kind != OpCancel || o.Arg&PassedOver == 0 {
		return 0
	}
	return o.Arg &^ PassedOver
}

// Gathers and Completes are OpBarrierArrive's Arg. Gathers: it doesn't matter which arrival of
// its round it is, so that two of them have the same effect in both orders. Completes: it is its
// round's last.
const (
	Gathers = 1 << iota
	Completes
)

// OpUnlock's Arg: whether the lock is let go by a locked instruction, or by a plain store, which
// leaves the store buffer as it is.
const (
	UnlockDrains = iota
	UnlockStores
)

// OpOnce's Arg.
const (
	OnceBegins = iota
	OnceEnds
	OnceDone // it had ended before
	OnceLeft // it was left by an exception or the thread's end: the next caller begins it again
)

var opNames = [NumOps]string{
	"none", "access", "create", "exit", "join", "tryjoin", "tryjoin-fail", "detach", "cancel", "post", "turn", "name",
	"lock", "trylock", "trylock-fail", "unlock", "mutex-init", "mutex-destroy",
	"cond-wait", "signal", "broadcast", "cond-timeout", "cond-init", "cond-destroy", "cond-look",
	"sem-wait", "sem-trywait", "sem-trywait-fail", "sem-post", "sem-get", "sem-init", "sem-destroy",
	"rdlock", "tryrdlock", "tryrdlock-fail", "wrlock", "trywrlock", "trywrlock-fail", "rdqueue", "wrqueue", "rdunlock", "wrunlock", "rw-init", "rw-destroy",
	"barrier-arrive", "barrier-leave", "barrier-init", "barrier-destroy", "once", "once-look", "once-pass",
	"futex-wait", "futex-look", "futex-wake", "futex-miss", "futex-requeue", "futex-timeout", "futex-lock-pi", "futex-try-pi", "futex-unlock-pi",
	"deschedule", "make-runnable", "free", "reuse", "page", "yield", "sleep", "time", "advance", "syscall", "send", "receive", "interrupts-off", "interrupts-on",
	"call-begins", "call-ends", "judged", "stores", "stored", "fence-all", "end", "choose", "assume", "fault",
}

func (k OpKind) String() string {
	if int(k) < len(opNames) {
		return opNames[k]
	}
	return fmt.Sprintf("op(%d)", uint8(k))
}

// Op is one synchronisation operation.
type Op struct {
	Kind OpKind
	// At is how many of its transition's accesses come before it.
	At uint32
	// Size is the size in bytes of the object at Obj where Obj is an address,
	// so that a plain access to its bytes depends on the operation; else 0.
	Size uint32
	Obj  uint64
	Arg  uint64
	PC   uint64 // where it was called from, for reports
}

func (o Op) String() string { return fmt.Sprintf("%v(%#x)", o.Kind, o.Obj) }
