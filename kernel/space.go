package kernel

import (
	"landgo/internal/image/elffile"
)

// The address space of a Linux guest, as far as the kernel and the trusted allocator
// share it. It is reserved once; a page costs nothing until it is touched. A process has
// 128 TiB, and each of a hundred workers a guest of its own.
const (
	// LowHeapLo and LowHeapHi bound the small blocks of the first thread in a
	// program with a place of its own. As with Linux, its heap is below 4 GiB,
	// and code that keeps pointers to it in 32 bits works.
	LowHeapLo, LowHeapHi = 0xa000_0000, 0xe000_0000
	// HeapLo and HeapHi are where all other blocks lie.
	HeapLo, HeapHi = 16 << 30, 360 << 30
	// WindowsLo is behind the heap and its bits (emu.Config.Heap): the kernel
	// puts the guest's mappings from there on.
	WindowsLo = 412 << 30
	// GuestHi is behind the last address that a guest may use.
	GuestHi = 940 << 30
	// Space is the size of it all: the bits of followed allocators lie behind GuestHi.
	Space = 1060 << 30
)

// HasLowHeap reports whether an image is one whose heap is low: it isn't
// position-independent, and ends below.
func HasLowHeap(img *elffile.File) bool {
	if img.Kernel != elffile.Linux || img.Machine != elffile.X86_64 || img.Base != 0 {
		return false
	}
	for i := range img.Segments {
		if g := &img.Segments[i]; g.Addr+g.MemSize > LowHeapLo-(1<<20) {
			return false
		}
	}
	return true
}
