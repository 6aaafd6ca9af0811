package limits

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// statm stays open: it is read many times a second.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm") // a nil File can't be read either
	return f
})

// residentMemory is the size of this process in memory: Linux tells, elsewhere
// the Go part of it has to do.
func residentMemory() uint64 {
	if n, ok := residentIn(statm()); ok {
		return n + besides()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func residentIn(f *os.File) (uint64, bool) {
	var text [128]byte
	n, _ := f.ReadAt(text[:], 0)
	if _, rest, ok := strings.Cut(string(text[:n]), " "); ok {
		first, _, _ := strings.Cut(rest, " ")
		if pages, err := strconv.ParseUint(first, 10, 64); err == nil {
			return pages * uint64(os.Getpagesize()), true
		}
	}
	return 0, false
}

// Guarded says that the process that called this one waits for it, and is part of
// landgo: its memory counts too.
//
// It opens what the memory is read from, so it is to be called before the process gives
// up its right to open files.
func Guarded() {
	guarded.Store(true)
	statm()
	besides()
}

var guarded atomic.Bool

var besides = sync.OnceValue(func() uint64 {
	if !guarded.Load() {
		return 0
	}
	f, err := os.Open("/proc/" + strconv.Itoa(os.Getppid()) + "/statm")
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := residentIn(f)
	return n
})
