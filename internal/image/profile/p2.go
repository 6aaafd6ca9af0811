package profile

// P2 is the thread library that students of CMU's 15-410 write in their
// second project: its names are fixed, its insides are theirs. Nothing of it is
// trusted unless asked for; the roles serve reports, preemption points and
// lock-misuse checks.
//
// Its allocator is the course's, for one thread (_malloc): the student writes
// malloc, which locks it. A program without the course's has its own allocator
// under these names.
var P2 = Profile{Name: "p2", Allocators: []Allocator{{Name: "malloc"}}, Bindings: join(
	bind(ThreadInit, "thr_init"),
	bind(Create, "thr_create"),
	bind(Join, "thr_join"),
	bind(ThreadExit, "thr_exit"),
	bind(Self, "thr_getid"),
	bind(Yield, "thr_yield"),

	bind(MutexInit, "mutex_init"),
	bind(MutexDestroy, "mutex_destroy"),
	bind(MutexLock, "mutex_lock"),
	bind(MutexUnlock, "mutex_unlock"),

	bind(CondInit, "cond_init"),
	bind(CondDestroy, "cond_destroy"),
	bind(CondWait, "cond_wait"),
	bind(CondSignal, "cond_signal"),
	bind(CondBroadcast, "cond_broadcast"),

	bind(SemInit, "sem_init"),
	bind(SemDestroy, "sem_destroy"),
	bind(SemWait, "sem_wait"),
	bind(SemPost, "sem_signal"),

	bind(RWInit, "rwlock_init"),
	bind(RWDestroy, "rwlock_destroy"),
	bind(RWLock, "rwlock_lock"),
	bind(RWUnlock, "rwlock_unlock"),
	bind(RWDowngrade, "rwlock_downgrade"),

	bind(ProcessExit, "exit"),
	bind(Panic, "panic"),
	bind(AssertFail, "__assert_fail"),
	bind(TestReport, "report_end"),
	bind(DebugPrint, "sim_puts"),

	follow(1, "_malloc",
		bind(Malloc, "malloc"), bind(Calloc, "calloc"), bind(Realloc, "realloc"), bind(Free, "free"),
	),
	follow(1, "",
		bind(Malloc, "_malloc"), bind(Calloc, "_calloc"), bind(Realloc, "_realloc"), bind(Free, "_free"),
	),
	// Under --trust malloc.
	bind(Malloc, "malloc"),
	bind(Calloc, "calloc"),
	bind(Realloc, "realloc"),
	bind(Free, "free"),
)}

// follow makes bindings those of an allocator's functions, unless the program
// defines a function named `unless`.
func follow(family uint8, unless string, lists ...[]Binding) []Binding {
	bs := join(lists...)
	for i := range bs {
		bs[i].Family, bs[i].Unless = family, unless
	}
	return bs
}
