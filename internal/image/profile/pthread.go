package profile

import (
	"slices"

	"landgo/internal/image/elffile"
)

// Pthread is POSIX threads, C11 threads and the allocator and stdio of
// glibc and musl.
//
// C11: glibc's mtx_, cnd_, thrd_ functions and call_once are plain code that
// calls the pthread function and translates its result. So they have no
// binding: the inner function is the event, and the translation is the guest's
// own code. In musl some of them do the work themselves, and are bound:
// mtx_lock, mtx_trylock, cnd_signal, cnd_broadcast, mtx_init, mtx_destroy,
// cnd_init, cnd_destroy. So is cnd_wait, which musl passes to its timed wait
// without a deadline. thrd_yield is a system call of its own in both.
var Pthread = Profile{Name: "pthread", Bindings: join(
	pthreadLocks,
	pthreadWaiting,
	pthreadThreads,
	c11Threads,
	process,
	allocator,
	bind(Stdio, stdio...),
	bind(StdioInput, stdioInput...),
	bind(UnwindFind, "_Unwind_Find_FDE"),
	bind(UnwindLink, "__libc_unwind_link_get"),
	bind(UnwindTables, "__register_frame_info_bases", "__register_frame_info_table_bases", "__deregister_frame_info_bases"),
	bind(Tabulates, "_ZNKSt5ctypeIcE13_M_widen_initEv", "_ZNKSt5ctypeIcE14_M_narrow_initEv"),
	bind(FloatFlags, floatFlags...),
	properties,
)}

// floatFlags need the flags of floating-point exceptions. fma of a C library rounds by the one
// for inexact results where the processor has no such instruction.
var floatFlags = []string{"fetestexcept", "fegetexceptflag", "feenableexcept", "fma", "fmaf", "fmal", "__fma_sse2", "__fmaf_sse2"}

// NeedsFloatFlags reports whether a function of the C library does; its file may not name it.
func NeedsFloatFlags(name string) bool { return slices.Contains(floatFlags, name) }

// properties are the functions of landgo's header.
var properties = join(
	bind(Always, "landgo_always"),
	bind(AlwaysWhen, "landgo_always_when"),
	bind(Eventually, "landgo_eventually"),
	bind(Linearizable, "landgo_linearizable"),
	bind(LinearizableAs, "landgo_linearizable_as"),
	bind(CallBegins, "landgo_op_begin"),
	bind(CallEnds, "landgo_op_end"),
)

var pthreadLocks = join(
	bind(MutexInit, "pthread_mutex_init"),
	bind(MutexDestroy, "pthread_mutex_destroy"),
	bind(MutexLock, "pthread_mutex_lock"),
	bind(MutexTryLock, "pthread_mutex_trylock"),
	bind(MutexTimedLock, "pthread_mutex_timedlock"),
	bind(MutexClockLock, "pthread_mutex_clocklock"),
	bind(MutexUnlock, "pthread_mutex_unlock"),

	bind(RWInit, "pthread_rwlock_init"),
	bind(RWDestroy, "pthread_rwlock_destroy"),
	bind(RWReadLock, "pthread_rwlock_rdlock"),
	bind(RWTryReadLock, "pthread_rwlock_tryrdlock"),
	bind(RWTimedReadLock, "pthread_rwlock_timedrdlock"),
	bind(RWClockReadLock, "pthread_rwlock_clockrdlock"),
	bind(RWWriteLock, "pthread_rwlock_wrlock"),
	bind(RWTryWriteLock, "pthread_rwlock_trywrlock"),
	bind(RWTimedWriteLock, "pthread_rwlock_timedwrlock"),
	bind(RWClockWriteLock, "pthread_rwlock_clockwrlock"),
	bind(RWUnlock, "pthread_rwlock_unlock"),

	bind(SpinUnlock, "pthread_spin_unlock"), // before init: see SpinInitOrUnlock
	bind(SpinInit, "pthread_spin_init"),
	bind(SpinDestroy, "pthread_spin_destroy"),
	bind(SpinLock, "pthread_spin_lock"),
	bind(SpinTryLock, "pthread_spin_trylock"),
)

var pthreadWaiting = join(
	bind(CondInit, "pthread_cond_init"),
	bind(CondDestroy, "pthread_cond_destroy"),
	bind(CondWait, "pthread_cond_wait"),
	bind(CondTimedWait, "pthread_cond_timedwait"),
	bind(CondClockWait, "pthread_cond_clockwait"),
	bind(CondSignal, "pthread_cond_signal"),
	bind(CondBroadcast, "pthread_cond_broadcast"),

	bind(SemInit, "sem_init"),
	bind(SemDestroy, "sem_destroy"),
	bind(SemWait, "sem_wait"),
	bind(SemTryWait, "sem_trywait"),
	bind(SemTimedWait, "sem_timedwait"),
	bind(SemClockWait, "sem_clockwait"),
	bind(SemPost, "sem_post"),
	bind(SemGetValue, "sem_getvalue"),
	bind(SemOpen, "sem_open"),
	bind(SemClose, "sem_close"),
	bind(SemUnlink, "sem_unlink"),

	bind(BarrierInit, "pthread_barrier_init"),
	bind(BarrierDestroy, "pthread_barrier_destroy"),
	bind(BarrierWait, "pthread_barrier_wait"),

	bind(Once, "pthread_once"),
)

var pthreadThreads = join(
	bind(Create, "pthread_create"),
	bind(Join, "pthread_join"),
	bind(TryJoin, "pthread_tryjoin_np"),
	bind(TimedJoin, "pthread_timedjoin_np"),
	bind(ClockJoin, "pthread_clockjoin_np"),
	bind(Detach, "pthread_detach"),
	bind(ThreadExit, "pthread_exit"),
	bind(Self, "pthread_self"),
	bind(Cancel, "pthread_cancel"),
	bind(NamesThread, "pthread_kill", "pthread_sigqueue", "pthread_getschedparam", "pthread_setschedparam", "pthread_setschedprio",
		"pthread_getaffinity_np", "pthread_setaffinity_np", "pthread_getname_np", "pthread_setname_np", "pthread_getattr_np",
		"pthread_getcpuclockid", "pthread_gettid_np"),
	bind(KeyCreate, "pthread_key_create"),
	bind(KeyDelete, "pthread_key_delete"),
	bind(CleanupPush, "_pthread_cleanup_push", "__pthread_register_cancel"),
	bind(CleanupPop, "_pthread_cleanup_pop", "__pthread_unregister_cancel"),
)

var c11Threads = []Binding{
	{Name: "mtx_init", Role: MutexInit, C11: true, Only: elffile.Musl},
	{Name: "mtx_destroy", Role: MutexDestroy, C11: true, Only: elffile.Musl},
	{Name: "mtx_lock", Role: MutexLock, C11: true, Only: elffile.Musl},
	{Name: "mtx_trylock", Role: MutexTryLock, C11: true, Only: elffile.Musl},
	{Name: "cnd_init", Role: CondInit, C11: true, Only: elffile.Musl},
	{Name: "cnd_destroy", Role: CondDestroy, C11: true, Only: elffile.Musl},
	{Name: "cnd_wait", Role: CondWait, C11: true, Only: elffile.Musl},
	{Name: "cnd_signal", Role: CondSignal, C11: true, Only: elffile.Musl},
	{Name: "cnd_broadcast", Role: CondBroadcast, C11: true, Only: elffile.Musl},
}

var process = join(
	bind(ProcessExit, "exit"),
	bind(QuickExit, "quick_exit"),
	bind(AtExit, "atexit", "__cxa_atexit", "on_exit", "at_quick_exit"),
	bind(ThreadAtExit, "__cxa_thread_atexit_impl"),
	bind(LoadFile, "dlopen", "dlmopen", "dlclose"),
	bind(Caught, "__cxa_begin_catch", "_Unwind_Resume"),
	bind(Abort, "abort"),
	bind(AssertFail, "__assert_fail"),
	bind(Yield, "sched_yield", "pthread_yield", "thrd_yield"),
	bind(Sleep, "sleep", "usleep", "nanosleep", "clock_nanosleep", "thrd_sleep"),
)

var allocator = join(
	bind(Malloc, "malloc"),
	bind(Calloc, "calloc"),
	bind(Realloc, "realloc"),
	bind(ReallocArray, "reallocarray"),
	bind(Free, "free", "cfree"),
	bind(AlignedAlloc, "aligned_alloc"),
	bind(PosixMemalign, "posix_memalign"),
	bind(Memalign, "memalign"),
	bind(Valloc, "valloc"),
	bind(Pvalloc, "pvalloc"),
	bind(MallocUsableSize, "malloc_usable_size"),
	// Functions that look through the allocator's memory: the first one gives a
	// thread's cache back at its end.
	bind(InsideAllocator, "__malloc_arena_thread_freeres", "malloc_trim", "mallopt", "mallinfo", "mallinfo2", "malloc_stats", "malloc_info"),
)

var stdio = []string{
	"printf", "vprintf", "fprintf", "vfprintf", "dprintf", "vdprintf", "sprintf", "vsprintf", "snprintf",
	"vsnprintf", "asprintf", "vasprintf", "__printf_chk", "__vprintf_chk", "__fprintf_chk", "__vfprintf_chk",
	"__dprintf_chk", "__vdprintf_chk", "__sprintf_chk", "__vsprintf_chk", "__snprintf_chk", "__vsnprintf_chk",
	"__asprintf_chk", "__vasprintf_chk", "puts", "putchar", "putc", "fputc", "fputs", "fwrite", "putw",
	"putchar_unlocked", "putc_unlocked", "fputc_unlocked", "fputs_unlocked", "fwrite_unlocked", "_IO_putc",
	"fflush", "fflush_unlocked", "perror", "psignal", "setbuf", "setvbuf", "setbuffer", "setlinebuf", "sscanf",
	"vsscanf", "__isoc99_sscanf", "__isoc99_vsscanf", "__isoc23_sscanf", "__isoc23_vsscanf", "fopen", "fopen64",
	"fdopen", "fclose", "fileno", "feof", "ferror", "ftell", "ftello", "ftello64", "fgetpos", "fmemopen",
	"open_memstream", "feof_unlocked", "ferror_unlocked", "fileno_unlocked",
	"wprintf", "vwprintf", "fwprintf", "vfwprintf", "swprintf", "vswprintf", "__wprintf_chk", "__vwprintf_chk", "__fwprintf_chk",
	"__vfwprintf_chk", "__swprintf_chk", "__vswprintf_chk", "putwchar", "putwc", "fputwc", "fputws", "putwchar_unlocked",
	"putwc_unlocked", "fputwc_unlocked", "fputws_unlocked", "fwide", "open_wmemstream", "swscanf", "vswscanf", "__isoc99_swscanf",
	"__isoc99_vswscanf", "__isoc23_swscanf", "__isoc23_vswscanf",
	"__overflow", // which putc_unlocked is in glibc's header, where its buffer is full
}

var stdioInput = []string{
	"scanf", "vscanf", "fscanf", "vfscanf", "__isoc99_scanf", "__isoc99_vscanf", "__isoc99_fscanf",
	"__isoc99_vfscanf", "__isoc23_scanf", "__isoc23_vscanf", "__isoc23_fscanf", "__isoc23_vfscanf", "getchar",
	"getc", "fgetc", "fgets", "gets", "fread", "getline", "getdelim", "ungetc", "_IO_getc", "getchar_unlocked",
	"getc_unlocked", "fgetc_unlocked", "fgets_unlocked", "fread_unlocked", "__fgets_chk", "__fread_chk",
	"__fgets_unlocked_chk", "__fread_unlocked_chk", "freopen", "freopen64", "clearerr", "fseek", "fseeko",
	"fseeko64", "rewind", "fsetpos", "clearerr_unlocked", "getwchar", "getwc", "fgetwc", "fgetws", "getwchar_unlocked", "getwc_unlocked",
	"fgetwc_unlocked", "fgetws_unlocked", "__fgetws_chk", "__fgetws_unlocked_chk", "ungetwc", "wscanf", "vwscanf", "fwscanf", "vfwscanf",
	"__isoc99_wscanf", "__isoc99_vwscanf", "__isoc99_fwscanf", "__isoc99_vfwscanf", "__isoc23_wscanf", "__isoc23_vwscanf",
	"__isoc23_fwscanf", "__isoc23_vfwscanf",
	"__uflow", // getc_unlocked, where its buffer is empty
}
