package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks for large pages in the collector's first 32 MB. A fault for each 4 KiB costs a
// small guest as much as its search does, on a virtual machine most of all. The block is what the
// collector has mapped at once; it is given back before anything uses it.
func hugePages() {
	const first, arena = 28 << 20, 64 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	block := make([]byte, first)
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	from := (begin - 1) &^ (arena - 1)                                                   // with the part in use, which is before it
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, begin+first-from, unix.MADV_HUGEPAGE) // it is advice
	runtime.KeepAlive(block)
	runtime.GC()
}

// collectLate has the first collection wait until there are 32 MB. Most guests are done
// before, and a collection costs as much as a small guest's search.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(800) // of the 4 MB at which Go begins
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { debug.SetGCPercent(100) })
}
