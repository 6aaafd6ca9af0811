package libc

import (
	"slices"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// Names of the functions of glibc and musl for synchronisation and threads, of
// their parts, and of OpenMP's: their beginnings, behind underscores, and
// musl's in full.
var (
	syncPrefixes = []string{"pthread_", "sem_", "new_sem_", "thrd_", "mtx_", "cnd_", "tss_", "call_once",
		"futex_", "do_futex_", "lll_", "nptl_", "condvar_", "clear_once_control", "sigcancel_", "unwind_stop",
		"cxa_guard_", "create_thread", "start_thread", "libc_start_call_main", "gomp_", "GOMP_", "omp_"}
	syncNames = []string{"__lock", "__unlock", "__wait", "__wake", "__timedwait", "__timedwait_cp",
		"__tl_lock", "__tl_unlock", "__tl_sync", "__vm_lock", "__vm_unlock", "__vm_wait", "__private_cond_signal", "__lockfile", "__unlockfile",
		"flockfile", "ftrylockfile", "funlockfile", "_IO_flockfile", "_IO_ftrylockfile", "_IO_funlockfile"}
)

// Synchronises reports whether the instruction at pc belongs to the C library's
// functions on threads and locks. Their reads and writes by plain instructions
// are as atomic as they need: a relaxed load is one. A program's own function
// is none of them, whatever its name (own.go).
func Synchronises(info *debuginfo.Info, pc uint64) bool {
	f, ok := info.SymbolAt(pc)
	if !ok || info.Libc() == elffile.NoLibc {
		return false
	}
	name := strings.TrimLeft(f.Name, "_")
	return (slices.Contains(syncNames, f.Name) || slices.ContainsFunc(syncPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })) && !IsOwn(info, &f)
}

// Inner reports whether the instruction at pc is of a function that a C library, in a file
// of its own, doesn't give out. All other code can call it only by one that the library
// does give out.
func Inner(info *debuginfo.Info, pc uint64) bool {
	if len(info.Parts) == 0 || !info.OfLibc(pc) {
		return false
	}
	f, ok := info.SymbolAt(pc)
	return !ok || !f.Global
}
