// Package firstheap is how a program of landgo's comes by the collector's first memory, which it fills
// before and while it does a small guest's work. A fault for each 4 KiB takes many times as long as
// taking more from the kernel at once, on a virtual machine most of all: ten milliseconds in all.
//
//	firstheap  the first megabytes are there when the program begins: of the front and the engine
//	large      the engine's first 32 MB are large pages, and its first collection is late
//
// Invariant: it needs packages runtime and syscall alone. So Go initialises it before nearly all packages,
// whose tables lie in that memory too.
package firstheap

import (
	"syscall"
	"unsafe"
)

const (
	amount = 2 << 20 // what landgo fills in a small guest's run, at least
	page   = 4 << 10
	large  = 2 << 20 // a large page, in which the kernel wants no small one
	// The collector maps memory up to the next multiple of it, and begins anywhere.
	chunk = 4 << 20
	// populate is MADV_POPULATE_WRITE, which Linux has since 5.14. It ends where nothing is mapped.
	populate = 23
	huge     = 14 // MADV_HUGEPAGE
)

var (
	first *[64]byte // the collector's memory begins near it
	over  []byte
	from  uintptr // what is populated begins here, and ends before the other
	to    uintptr
)

func init() {
	first = new([64]byte)
	from = uintptr(unsafe.Pointer(first)) &^ (page - 1)
	// Where much is mapped, that has to do: the block counts, and the collector runs at 4 MB.
	if left := chunk - from%chunk; left < amount/2 {
		over = make([]byte, left+page) // it isn't written: the collector maps the next chunk for it
		from = (uintptr(unsafe.Pointer(unsafe.SliceData(over))) + left) &^ (page - 1)
	}
	first, over = nil, nil
	to = min((from+amount+large-1)&^(large-1), (from+chunk)&^(chunk-1))        // the collector's large pages begin there
	_, _, _ = syscall.RawSyscall(syscall.SYS_MADVISE, from, to-from, populate) // it is advice
}
