package firstheap

import (
	"runtime"
	"syscall"
	"unsafe"
)

// The engine needs more memory than the front, so it does this beside. percent is
// debug.SetGCPercent: that package imports too many to be imported here.

// Large asks for large pages in the collector's first 32 MB. A fault for each 4 KiB costs a
// small guest as much as its search does, on a virtual machine most of all. The block is what the
// collector has mapped at once; it is given back before anything uses it.
func Large(percent func(int) int) {
	const first, arena = 28 << 20, 64 << 20
	defer percent(percent(-1))
	block := make([]byte, first)
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(block)))
	from := (begin - 1) &^ (arena - 1)                                              // with the part in use, which is before it
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, begin+first-from, huge) // it is advice
	runtime.KeepAlive(block)
	runtime.GC()
}

// Late has the first collection wait until there are 32 MB. Most guests are done
// before, and a collection costs as much as a small guest's search.
func Late(percent func(int) int) {
	if v, _ := syscall.Getenv("GOGC"); v != "" {
		return
	}
	percent(800) // of the 4 MB at which Go begins
	runtime.SetFinalizer(new([16]byte), func(*[16]byte) { percent(100) })
}
