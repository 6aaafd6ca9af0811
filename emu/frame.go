package emu

/*
#include <stdlib.h>
#include "machine.h"
*/
import "C"

import (
	"slices"
	"unsafe"
)

// Frame is a function by its first instruction, and the bytes below the stack pointer there
// that it is going to use.
type Frame struct{ PC, Size uint64 }

// FillFrames has each of these functions begin with this many bytes of fill below its stack
// pointer: the byte at an address is the one at its last three bits. A function that reads its
// variables before it writes them then finds that, and not the bytes left there. The fills aren't
// accesses, and go back with the machine. Nothing has run so far.
func (m *Machine) FillFrames(fill [8]byte, list []Frame) {
	m.recall.forget()
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Frame) int {
		if a.PC < b.PC {
			return -1
		}
		return 1
	})
	C.free(unsafe.Pointer(m.c.filled))
	m.c.filled, m.c.nfilled = nil, C.uint32_t(len(list))
	if n := len(list); n > 0 {
		p := C.malloc(C.size_t(n) * C.size_t(unsafe.Sizeof(Frame{})))
		copy(unsafe.Slice((*Frame)(p), n), list)
		m.c.filled = (*C.struct_frame)(p)
	}
	for i, b := range fill {
		m.c.fill[i] = C.uint8_t(b)
	}
}
