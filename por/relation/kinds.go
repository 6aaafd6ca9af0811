package relation

import "landgo/internal/trace"

// The dependence relation. Two transitions of different threads
// are dependent when
//   - two of their accesses overlap by a byte and one writes (a silent store is
//     a write; a compare-and-exchange that fails is a read);
//   - two of their operations are on the same object and the table below has
//     the pair;
//   - an access of one overlaps the bytes of an object that the other operates
//     on (memset or free of a mutex), whether it reads or writes;
//   - one of them ends the process, or moves the clock: these are ordered with
//     everything.
//
// The relation is symmetric and valid in the sense of Flanagan and Godefroid,
// Definition 1: transitions that aren't dependent neither enable nor disable
// each other and commute. Creation, wake-ups and the leaving of a barrier
// order a step before the next step of a thread without being a race: that is
// Transition.Wakes, see Order.

// class is a name space of operations' objects.
type class uint8

const (
	noClass class = iota
	mutexClass
	condClass
	semClass
	rwClass
	barrierClass
	onceClass
	futexClass
	threadClass // Obj is a TID
	descheduleClass
	heapClass
	pageClass
	syscallClass // Obj is a resource number
	callClass    // of the guest's own operations
	judgedClass
	channelClass
	bufferClass
	numClasses
)

var classOf = [trace.NumOps]class{
	trace.OpExit: threadClass, trace.OpJoin: threadClass, trace.OpTryJoin: threadClass,
	trace.OpTryJoinFail: threadClass, trace.OpDetach: threadClass, trace.OpCancel: threadClass,
	trace.OpPost: threadClass, trace.OpTurn: threadClass, trace.OpName: threadClass,
	trace.OpLock: mutexClass, trace.OpTryLock: mutexClass, trace.OpTryLockFail: mutexClass, trace.OpUnlock: mutexClass,
	trace.OpMutexInit: mutexClass, trace.OpMutexDestroy: mutexClass,
	trace.OpCondWait: condClass, trace.OpCondSignal: condClass, trace.OpCondBroadcast: condClass,
	trace.OpCondTimeout: condClass, trace.OpCondInit: condClass, trace.OpCondDestroy: condClass,
	trace.OpCondLook: condClass,
	trace.OpSemWait:  semClass, trace.OpSemTryWait: semClass, trace.OpSemTryWaitFail: semClass, trace.OpSemPost: semClass,
	trace.OpSemGet: semClass, trace.OpSemInit: semClass, trace.OpSemDestroy: semClass,
	trace.OpReadLock: rwClass, trace.OpTryReadLock: rwClass, trace.OpTryReadLockFail: rwClass, trace.OpWriteLock: rwClass,
	trace.OpTryWriteLock: rwClass, trace.OpTryWriteLockFail: rwClass, trace.OpReadQueue: rwClass, trace.OpWriteQueue: rwClass, trace.OpReadUnlock: rwClass, trace.OpWriteUnlock: rwClass,
	trace.OpRWInit: rwClass, trace.OpRWDestroy: rwClass,
	trace.OpBarrierArrive: barrierClass, trace.OpBarrierLeave: barrierClass, trace.OpBarrierInit: barrierClass, trace.OpBarrierDestroy: barrierClass,
	trace.OpOnce: onceClass, trace.OpOnceLook: onceClass, trace.OpOncePass: onceClass,
	trace.OpFutexWait: futexClass, trace.OpFutexWake: futexClass, trace.OpFutexMiss: futexClass, trace.OpFutexRequeue: futexClass, trace.OpFutexTimeout: futexClass,
	trace.OpFutexLockPI: futexClass, trace.OpFutexTryPI: futexClass, trace.OpFutexUnlockPI: futexClass,
	trace.OpDeschedule: descheduleClass, trace.OpMakeRunnable: descheduleClass,
	trace.OpFree: heapClass, trace.OpReuse: heapClass, trace.OpPage: pageClass,
	trace.OpCallBegins: callClass, trace.OpCallEnds: callClass,
	trace.OpJudged:  judgedClass,
	trace.OpSyscall: syscallClass,
	trace.OpSend:    channelClass, trace.OpReceive: channelClass,
	trace.OpStores: bufferClass, trace.OpStored: bufferClass, trace.OpDrained: bufferClass,
}

// independent lists, for each class, the kinds that commute with each other;
// every other pair of one class depends. Kinds without a class (create, fence for all, yield,
// sleep, time under the default time model, a futex's wait that finds another value)
// depend on nothing.
var independent = [][2][]trace.OpKind{
	// A failing try changes nothing, nor does a look.
	{{trace.OpTryLockFail}, {trace.OpTryLockFail}},
	{{trace.OpTryJoinFail, trace.OpName}, {trace.OpTryJoinFail, trace.OpName}},
	{{trace.OpCondLook}, {trace.OpCondLook}},
	{{trace.OpOnceLook, trace.OpOncePass}, {trace.OpOnceLook, trace.OpOncePass}},
	// Posts add up. A failing sem_trywait and sem_getvalue change nothing.
	{{trace.OpSemPost}, {trace.OpSemPost}},
	{{trace.OpSemTryWaitFail, trace.OpSemGet}, {trace.OpSemTryWaitFail, trace.OpSemGet}},
	// Readers don't disturb each other, and a failing try changes nothing. A
	// try for reading fails because of a writer, whatever the readers do; a try
	// for writing may fail because of a reader, and depends on them.
	{{trace.OpReadLock, trace.OpTryReadLock, trace.OpReadUnlock, trace.OpTryReadLockFail, trace.OpReadQueue},
		{trace.OpReadLock, trace.OpTryReadLock, trace.OpReadUnlock, trace.OpTryReadLockFail, trace.OpReadQueue}},
	{{trace.OpTryReadLockFail, trace.OpTryWriteLockFail}, {trace.OpTryReadLockFail, trace.OpTryWriteLockFail}},
	// Which waiter a wake lets go is a choice, and doesn't depend on which came first. A wake
	// that finds no waiter changes nothing. (A wait that finds another value has no class.)
	{{trace.OpFutexWait}, {trace.OpFutexWait}},
	{{trace.OpFutexMiss}, {trace.OpFutexMiss}},
	// A barrier lets all threads go that arrived in its round; other arrivals and
	// leavings make no difference to that. (The order of the last arrival and the
	// leaving is in Transition.Wakes.)
	{{trace.OpBarrierLeave}, {trace.OpBarrierLeave, trace.OpBarrierArrive}},
	// Which of two operations began first makes no difference to their order in real time,
	// nor which of two was over first.
	{{trace.OpCallBegins}, {trace.OpCallBegins}},
	{{trace.OpCallEnds}, {trace.OpCallEnds}},
	// Stores go into a buffer, and leave it, in any order; what finds it empty changes nothing.
	{{trace.OpStores, trace.OpStored}, {trace.OpStores, trace.OpStored}},
	{{trace.OpDrained}, {trace.OpDrained}},
	// The end of a thread and its being detached commute.
	{{trace.OpDetach}, {trace.OpExit}},
	// A thread's steps depend on the signals that it is sent, for a handler runs
	// where it stands. To wait for its end or to detach it is the same everywhere.
	{{trace.OpTurn}, {trace.OpTurn, trace.OpExit, trace.OpJoin, trace.OpTryJoin, trace.OpTryJoinFail, trace.OpDetach, trace.OpName}},
	// To name a thread is to ask whether it may be named: a signal to it changes nothing in that.
	{{trace.OpName}, {trace.OpCancel}},
	// A signal that arrives later is kept in words, which its arrival and the thread's calls
	// read. That the thread is there, it depends on besides.
	{{trace.OpPost}, {trace.OpPost, trace.OpTurn, trace.OpName, trace.OpCancel}},
}

// dependentOps[a][b]: operations of kinds a and b on one object depend.
var dependentOps = func() (d [trace.NumOps][trace.NumOps]bool) {
	for a := range d {
		for b := range d {
			d[a][b] = classOf[a] != noClass && classOf[a] == classOf[b]
		}
	}
	for _, pair := range independent {
		for _, a := range pair[0] {
			for _, b := range pair[1] {
				d[a][b], d[b][a] = false, false
			}
		}
	}
	return d
}()

// total[k]: operations of kind k depend on every other kind of the class, so
// what came before one is ordered with what comes after it.
var total = func() (t [trace.NumOps]bool) {
	for a := range t {
		t[a] = classOf[a] != noClass && classOf[a] != syscallClass && classOf[a] != barrierClass
		for b := range t {
			if classOf[a] == classOf[b] && !dependentOps[a][b] {
				t[a] = false
			}
		}
	}
	t[trace.OpBarrierArrive] = true // leaving aside, which has no edge here
	return t
}()

var acquires = [trace.NumOps]bool{
	trace.OpLock: true, trace.OpSemWait: true, trace.OpReadLock: true, trace.OpWriteLock: true,
	trace.OpOnce: true, trace.OpOncePass: true, trace.OpJoin: true, trace.OpDrained: true,
}

// opsDepend reports whether two operations depend.
func opsDepend(a, b *trace.Op) bool {
	if a.Obj != b.Obj || !dependentOps[a.Kind][b.Kind] {
		return false
	}
	switch {
	case a.Kind == trace.OpSyscall:
		return a.Arg == 1 || b.Arg == 1
	case a.Kind == trace.OpBarrierArrive && b.Kind == trace.OpBarrierArrive:
		return !gather(a.Arg, b.Arg)
	}
	return true
}

// touches reports whether an access overlaps the bytes of an operation's
// object.
func touches(a *trace.Access, o *trace.Op) bool {
	return o.Size > 0 && (a.Flags&trace.Buffered == 0 || ends[o.Kind]) && a.Addr < o.Obj+uint64(o.Size) && o.Obj < a.Addr+uint64(a.Size)
}

// ends[k]: an operation of kind k decides whether its bytes may be accessed at all. A
// processor looks at that when it takes a store into its buffer, or answers a load from
// there: these depend on it, though they touch no memory.
var ends = [trace.NumOps]bool{trace.OpFree: true, trace.OpReuse: true, trace.OpPage: true}

// Acquires reports whether an operation of kind k is possible in some states
// only, and other threads' operations may make it impossible.
func Acquires(k trace.OpKind) bool { return acquires[k] }
