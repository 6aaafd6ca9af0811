package libc

import (
	"path/filepath"
	"slices"
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// A program may define a function that its C library has too: its own malloc,
// its own pthread_mutex_lock. The linker then takes the program's, whose code
// is to be checked, so it has no role.
//
// How to tell. A function with line information is the program's own, because C libraries are
// installed without. One that was built with it has its source in a folder that says so. Debian
// 11 installs libpthread.a with it: its folders are relative ones ("nptl/pthread_join.c"), which
// a compiler gives only where it is told to (-ffile-prefix-map). Without line information: a libc
// defines a replaceable function as a weak symbol, or under a second name that it uses itself
// (__libc_malloc), and a program does neither. Musl has functions with one strong name (free,
// sem_wait); of those, free goes with malloc, and the others are taken for musl's. Pebbles
// programs bring all of their own, and their profile trusts nothing.

// replaceable are names that are weak or have a second name in a libc; one that
// ends in an underscore stands for all that begin with it.
var replaceable = map[elffile.Libc][]string{
	elffile.Glibc: {"pthread_mutex_", "pthread_cond_", "pthread_rwlock_", "pthread_create", "pthread_join", "pthread_exit", "sem_", "malloc", "free", "calloc", "realloc"},
	elffile.Musl: {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock", "pthread_mutex_timedlock", "pthread_rwlock_rdlock",
		"pthread_rwlock_wrlock", "pthread_rwlock_unlock", "pthread_create", "pthread_join", "pthread_exit", "pthread_once", "malloc"},
}

// IsOwn reports whether a function with a name of the C library's is the program's own.
func IsOwn(info *debuginfo.Info, s *elffile.Symbol) bool {
	if len(info.Parts) > 0 { // the files say whose it is
		return !info.OfRuntime(s.Addr)
	}
	if fs := info.Frames(s.Addr); len(fs) > 0 && fs[0].File != "" {
		path := filepath.Clean(fs[len(fs)-1].Path)
		return !strings.Contains(path, "glibc") && !strings.Contains(path, "musl") &&
			!(strings.HasPrefix(path, "nptl/") && hasSecondName(info, s))
	}
	if s.Weak || !slices.ContainsFunc(replaceable[info.Libc()], func(p string) bool {
		return s.Name == p || strings.HasSuffix(p, "_") && strings.HasPrefix(s.Name, p)
	}) {
		return false
	}
	return !hasSecondName(info, s)
}

func hasSecondName(info *debuginfo.Info, s *elffile.Symbol) bool {
	for i := range info.Symbols {
		if t := &info.Symbols[i]; t.Addr == s.Addr && t.Name != s.Name && t.Kind != elffile.Object {
			return true
		}
	}
	return false
}
