package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"

	"landgo/internal/trace"
)

// Difference is in what two contexts differ. The zero value: in nothing.
type Difference struct {
	Regs trace.RegSet
	SSE  bool // xmm registers and mxcsr
	X87  bool // x87 registers and control words
	Half bool // the reads of a half-executed instruction, and the number of its stores
}

// newSlot takes a slot that was given up, or the next of the stack.
func (m *Machine) newSlot() Ctx {
	kept := 0
	if n := len(m.marks); n > 0 {
		kept = m.marks[n-1].free
	}
	if n := len(m.free); n > kept {
		c := m.free[n-1]
		m.free = m.free[:n-1]
		return c
	}
	if m.c.nslots == m.c.slot_cap {
		if msg := C.slots_grow(m.c); msg != nil {
			panic(fmt.Sprintf("emu: context %d: %s", m.c.nslots, C.GoString(msg)))
		}
	}
	m.c.nslots++
	return Ctx(m.c.nslots - 1)
}

// Free gives a context up that is used no more: a context is large, and an execution
// has one a step. It does nothing for those that a mark may come back to.
func (m *Machine) Free(c Ctx) {
	if len(m.marks) == 0 || int32(c) >= m.marks[len(m.marks)-1].slots {
		m.free = append(m.free, c)
	}
}

func (m *Machine) slot(c Ctx) *C.struct_slot {
	if c < 0 || int32(c) >= int32(m.c.nslots) {
		panic(fmt.Sprintf("emu: context %d of %d", c, m.c.nslots))
	}
	return (*C.struct_slot)(unsafe.Add(unsafe.Pointer(m.c.slots), uintptr(c)*C.sizeof_struct_slot))
}

// Start makes the context of a CPU that has run nothing, with these registers.
func (m *Machine) Start(r *Regs) Ctx {
	c := m.newSlot()
	C.context_start(m.c, C.int32_t(c), (*C.uint64_t)(unsafe.Pointer(r)))
	return c
}

// StartFrom is Start for a thread that another one creates, at parent. Like a kernel it
// hands the control words of the floating-point unit on: rounding, precision, flags.
// (No code relies on the data registers at a call.)
func (m *Machine) StartFrom(parent Ctx, r *Regs) Ctx {
	c := m.Start(r)
	C.context_inherit(m.c, C.int32_t(c), C.int32_t(parent))
	return c
}

// Regs is the general registers of a context.
func (m *Machine) Regs(c Ctx) Regs {
	m.slot(c)
	C.context_regs(m.c, C.int32_t(c), (*C.uint64_t)(unsafe.Pointer(&m.regs)))
	return m.regs
}

// FPU is those of a context.
func (m *Machine) FPU(c Ctx) (f FPU) {
	m.slot(c)
	var words [C.CONTEXT_WORDS]C.uint64_t
	C.context_words(m.c, C.int32_t(c), &words[0])
	w := words[nregs:]
	for i := range f.XMM {
		f.XMM[i] = [2]uint64{uint64(w[2*i]), uint64(w[2*i+1])}
	}
	w = w[2*len(f.XMM):]
	for i := range 8 {
		f.X87[i] = [2]uint64{uint64(w[2*i]), uint64(w[2*i+1])}
	}
	w = w[2*8:]
	f.MXCSR, f.Status, f.Control, f.Tags = uint64(w[0]), uint64(w[1]), uint64(w[2]), uint64(w[3])
	return f
}

// PC is the program counter of a context. Unlike Regs it costs nothing.
func (m *Machine) PC(c Ctx) uint64 { return uint64(m.slot(c).pc) }

// Clock is the number of instructions that the context's thread has completed
// since Start, in all runs.
func (m *Machine) Clock(c Ctx) uint64 { return uint64(m.slot(c).clock) }

// SameCPU reports whether two contexts' states are the same. The clock isn't compared.
func (m *Machine) SameCPU(a, b Ctx) bool { return m.Differ(a, b) == Difference{} }

// Differ is in what they differ.
func (m *Machine) Differ(a, b Ctx) Difference {
	x, y := m.slot(a), m.slot(b)
	d := C.context_diff(m.c, C.int32_t(a), C.int32_t(b))
	return Difference{trace.RegSet(d) & trace.AllRegs, d&C.DIFF_SSE != 0, d&C.DIFF_X87 != 0, !sameHeld(x, y)}
}

func sameHeld(x, y *C.struct_slot) bool {
	if x.parts != y.parts || x.done != y.done || x.nheld != y.nheld {
		return false
	}
	for i := range int(x.nheld) {
		h, k := &x.held[i], &y.held[i]
		if h.addr != k.addr || h.size != k.size || !bytes.Equal(heldBytes(h), heldBytes(k)) {
			return false
		}
	}
	return true
}

func heldBytes(h *C.struct_held) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&h.bytes)), h.size)
}

// Stored reports whether others see a part of the stores of the context's
// unfinished instruction.
func (m *Machine) Stored(c Ctx) bool { return m.slot(c).done != 0 }

// Held is a run of bytes that a half-executed instruction has read.
type Held struct {
	Addr  uint64
	Bytes []byte
}

// Held appends to dst the reads of the context's half-executed instruction, in
// program order: part of its thread's state.
func (m *Machine) Held(dst []Held, c Ctx) []Held {
	s := m.slot(c)
	for i := range int(s.nheld) {
		h := &s.held[i]
		dst = append(dst, Held{uint64(h.addr), bytes.Clone(heldBytes(h))})
	}
	return dst
}

// Poised is the event that a context made by StopAccess stands before, as it
// would be now. Whether a locked compare-and-exchange fails depends on other
// threads' writes since the stop; exchange says that it is one. Size is 0 for other
// contexts.
func (m *Machine) Poised(c Ctx) (a trace.Access, exchange bool) {
	s := m.slot(c)
	a = *(*trace.Access)(unsafe.Pointer(&s.poised))
	if !s.cas {
		return a, false
	}
	expect := unsafe.Slice((*byte)(unsafe.Pointer(&s.expect)), 16)[:a.Size]
	if bytes.Equal(expect, m.Bytes(a.Addr, uint64(a.Size))) {
		a.Flags = trace.Write | trace.Atomic | trace.RMW
	} else {
		a.Flags = trace.Atomic | trace.FailedCAS
	}
	return a, true
}
