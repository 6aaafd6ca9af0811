package limits

import (
	"os"
	"runtime"
	"sync"

	"landgo/internal/host"
)

// statm stays open: it is read many times a second.
var statm = sync.OnceValue(func() *os.File {
	if given != nil {
		return given
	}
	f, _ := os.Open("/proc/self/statm") // a nil File can't be read either
	return f
})

// residentMemory is the size of this process in memory: Linux tells, elsewhere
// the Go part of it has to do.
func residentMemory() uint64 {
	if n, ok := host.ResidentIn(statm()); ok {
		return n + besides
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

// Of a process that runs guests for another one, which is part of landgo.
var (
	given   *os.File
	besides uint64 // bytes that the other has
)

// Prepare gives the file /proc/PID/statm of this process, which a confined process can't
// open, or nil; and how much memory the process has that waits for this one, in bytes.
// It is called before the first watch begins.
func Prepare(own *os.File, other uint64) { given, besides = own, other }
