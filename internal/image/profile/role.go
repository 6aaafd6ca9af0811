package profile

// Role is a function's meaning to a checker, whatever its name. Package
// scheduler knows each role's arguments and results, which are those of the
// pthread function that the role is named after, except where said here.
type Role uint8

const (
	NoRole Role = iota

	MutexInit
	MutexDestroy
	MutexLock
	MutexTryLock
	MutexTimedLock // glibc: (mutex, abstime); see also MutexClockLock
	MutexClockLock // (mutex, clock, abstime)
	MutexUnlock

	CondInit
	CondDestroy
	CondWait
	CondTimedWait // a null deadline means none
	CondClockWait // (cond, mutex, clock, abstime)
	CondSignal
	CondBroadcast

	SemInit
	SemDestroy
	SemWait
	SemTryWait
	SemTimedWait
	SemClockWait // (sem, clock, abstime)
	SemPost
	SemGetValue
	SemOpen // (name, flags, mode, value)
	SemClose
	SemUnlink // (name)

	RWInit
	RWDestroy
	RWReadLock
	RWTryReadLock
	RWTimedReadLock
	RWClockReadLock
	RWWriteLock
	RWTryWriteLock
	RWTimedWriteLock
	RWClockWriteLock
	RWUnlock
	RWLock      // P2: (lock, 0 to read or 1 to write)
	RWDowngrade // P2: from writing to reading

	BarrierInit
	BarrierDestroy
	BarrierWait

	SpinInit
	SpinDestroy
	SpinLock
	SpinTryLock
	SpinUnlock
	// SpinInitOrUnlock is glibc's one code for both: they store the same word.
	// It is an initialisation if the lock isn't held.
	SpinInitOrUnlock

	Once

	ThreadInit // P2's thr_init(stack size)
	Create
	Join
	TryJoin
	TimedJoin
	ClockJoin
	Detach
	ThreadExit
	Self
	Cancel
	// NamesThread: takes the name of a thread first, asks about that thread or changes it, and
	// does no more.
	NamesThread
	KeyCreate
	KeyDelete
	CleanupPush
	CleanupPop

	ProcessExit // exit: runs handlers first, and writes what is buffered
	QuickExit   // quick_exit: runs handlers of its own, and writes nothing
	AtExit
	ThreadAtExit // a function to be called when the calling thread ends
	LoadFile     // loads a shared library, or gives it back
	Caught       // called by a C++ handler or clean-up that an exception reached
	Abort
	AssertFail // __assert_fail(expression, file, line, function)
	Panic      // P2: panic(format, ...)
	TestReport // P2's tests: report_end(0: success, 1: failure)
	DebugPrint // P2: sim_puts(string), which writes the simulator's log
	Unwinds    // Rust: has said what it panics at, and unwinds the stack, or aborts

	Yield
	Sleep

	Malloc
	Calloc
	Realloc
	ReallocArray
	Free
	AlignedAlloc
	PosixMemalign
	Memalign
	Valloc
	Pvalloc
	MallocUsableSize
	FreeAll         // a user's profile: ends all blocks of its allocator
	InsideAllocator // may touch the allocator's memory: of glibc, and by a user's profile

	// Stdio: a function that formats, reads or writes, run as one trusted
	// piece; and the unwinder's search for tables.
	Stdio
	// StdioInput: the same of one that reads from a stream, or moves its
	// position, so that another thread gets other input.
	StdioInput
	// UnwindFind is the unwinder's search for a function's tables, which the first one sorts.
	// UnwindTables changes their list. They exclude each other by a mutex, so that all of them have
	// to be run as one trusted operation, or none.
	UnwindFind
	UnwindTables
	// UnwindLink loads the unwinder, if no thread has: glibc asks for it at pthread_exit and
	// pthread_cancel.
	UnwindLink
	// Bookkeeping: a function of a runtime on its own lists of threads, which nothing that the
	// program does depends on. It runs as one trusted piece, and orders nothing.
	Bookkeeping
	// Tabulates: a function of the C++ library that fills a table of characters once a thread finds
	// it empty. Several threads may do so at once, without a lock: all write the same. It runs as one
	// trusted operation.
	Tabulates
	// FloatFlags: a function that looks at the flags of floating-point exceptions, or has
	// them raise signals, which the machine doesn't keep.
	FloatFlags

	// Of landgo's own header: what is to hold, and operations of the guest's objects
	// (scheduler/library/property.go).
	Always
	AlwaysWhen
	Eventually
	Linearizable
	LinearizableAs
	CallBegins
	CallEnds

	NumRoles
)

var roleNames = [NumRoles]string{
	"none",
	"mutex-init", "mutex-destroy", "lock", "trylock", "timed-lock", "clock-lock", "unlock",
	"cond-init", "cond-destroy", "wait", "timed-wait", "clock-wait", "signal", "broadcast",
	"sem-init", "sem-destroy", "sem-wait", "sem-trywait", "sem-timed-wait", "sem-clock-wait", "sem-post", "sem-get-value",
	"sem-open", "sem-close", "sem-unlink",
	"rw-init", "rw-destroy", "rdlock", "try-rdlock", "timed-rdlock", "clock-rdlock",
	"wrlock", "try-wrlock", "timed-wrlock", "clock-wrlock", "rw-unlock", "rw-lock", "rw-downgrade",
	"barrier-init", "barrier-destroy", "barrier-wait",
	"spin-init", "spin-destroy", "spin-lock", "spin-trylock", "spin-unlock", "spin-init-or-unlock",
	"once",
	"thread-init", "create", "join", "try-join", "timed-join", "clock-join", "detach", "thread-exit", "self",
	"cancel", "names-thread", "key-create", "key-delete", "cleanup-push", "cleanup-pop",
	"exit", "quick-exit", "at-exit", "thread-at-exit", "load-file", "caught", "abort", "assert-fail", "panic", "test-report", "debug-print", "unwinds",
	"yield", "sleep",
	"malloc", "calloc", "realloc", "reallocarray", "free", "aligned-alloc", "posix-memalign", "memalign", "valloc", "pvalloc", "malloc-usable-size", "free-all", "inside",
	"stdio", "stdio-input", "unwind-find", "unwind-tables", "unwind-link", "bookkeeping", "tabulates", "float-flags",
	"always", "always-when", "eventually", "linearizable", "linearizable-as", "call-begins", "call-ends",
}

func (r Role) String() string {
	if r < NumRoles {
		return roleNames[r]
	}
	return "unknown role"
}
