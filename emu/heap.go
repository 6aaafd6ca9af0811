package emu

// #include <stdlib.h>
// #include "machine.h"
import "C"

import (
	"fmt"
	"sort"
	"unsafe"
)

// The bytes of Config.Heap that are in a live block have a bit each, in guest
// memory right behind Heap: so the journal takes them back like all else. The
// guest can't reach them, for their pages have no permissions.

// checkHeap completes the configuration of a heap.
func checkHeap(cfg *Config, space uint64) error {
	h := cfg.Heap
	if h == (Range{}) {
		return nil
	}
	if h.Lo%64 != 0 || h.Hi%64 != 0 || h.Lo >= h.Hi || graves(h)+graveTable > space {
		return fmt.Errorf("a heap at %#x-%#x has no room for an eighth of it behind", h.Lo, h.Hi)
	}
	cfg.Ahead = append([]Range(nil), cfg.Ahead...)
	sort.Slice(cfg.Ahead, func(i, j int) bool { return cfg.Ahead[i].Lo < cfg.Ahead[j].Lo })
	return nil
}

// The stacks of threads that have ended are a table behind the bits.
const (
	maxGraves  = 1 << 12
	graveTable = maxGraves * 16
)

func graves(h Range) uint64 { return h.Hi + (h.Hi-h.Lo)/8 }

func (m *Machine) mapHeap() {
	h := m.cfg.Heap
	if h == (Range{}) {
		return
	}
	m.c.heap_lo, m.c.heap_len = C.uint64_t(h.Lo), C.uint64_t(h.Hi-h.Lo)
	m.c.hole_lo, m.c.hole_len = C.uint64_t(m.cfg.HeapHole.Lo), C.uint64_t(m.cfg.HeapHole.Hi-m.cfg.HeapHole.Lo)
	m.c.alive = (*C.uint8_t)(unsafe.Add(m.mem, h.Hi))
	if m.cfg.HeapOpen {
		m.c.flip = 0xff
	}
	m.c.graves = (*C.uint64_t)(unsafe.Add(m.mem, graves(h)))
	m.mapAhead()
}

// mapAhead tells the machine of Config.Ahead.
func (m *Machine) mapAhead() {
	m.recall.forget()
	if n := len(m.cfg.Ahead); n > 0 {
		C.free(unsafe.Pointer(m.c.early))
		size := C.size_t(n) * C.size_t(unsafe.Sizeof(Range{}))
		p := C.malloc(size)
		copy(unsafe.Slice((*Range)(p), n), m.cfg.Ahead)
		m.c.early, m.c.early_len = (*C.uint64_t)(p), C.uint32_t(n)
	}
}

// ReadsAhead takes other code for Config.Ahead: a dynamic linker chooses it at the start.
// It isn't part of the marked state.
func (m *Machine) ReadsAhead(code []Range) {
	if m.cfg.Heap == (Range{}) {
		return
	}
	m.cfg.Ahead = append([]Range(nil), code...)
	sort.Slice(m.cfg.Ahead, func(i, j int) bool { return m.cfg.Ahead[i].Lo < m.cfg.Ahead[j].Lo })
	m.mapAhead()
}

// Alive says of n bytes at addr, within Config.Heap, whether they are in a live
// block. Rewind takes it back.
func (m *Machine) Alive(addr, n uint64, alive bool) {
	if n == 0 || m.cfg.Heap == (Range{}) {
		return
	}
	alive = alive != m.cfg.HeapOpen // as a bit
	var bits [8]byte
	at := m.cfg.Heap.Hi + (addr-m.cfg.Heap.Lo)/8
	if first := addr % 8; first > 0 {
		k := min(n, 8-first)
		m.alivePart(at, (uint8(1)<<k-1)<<first, alive)
		n -= k
		at++
	}
	all := uint8(0)
	if alive {
		all = 0xff
	}
	for i := range bits {
		bits[i] = all
	}
	for whole := n / 8; whole > 0; {
		if whole >= largeFill {
			k := m.fillSame(at, whole, all)
			at += k
			whole -= k
			continue
		}
		k := min(whole, 8)
		m.Write(at, bits[:k])
		at += k
		whole -= k
	}
	if rest := n % 8; rest > 0 {
		m.alivePart(at, uint8(1)<<rest-1, alive)
	}
}

// largeFill is how many bytes are filled with one entry of the journal, where they have
// one value.
const largeFill = 64

// fillSame fills those of n bytes at addr that have the same value as the first, and
// returns how many. Rewind takes it back.
func (m *Machine) fillSame(addr, n uint64, v uint8) uint64 {
	p := m.Bytes(addr, n)
	old := p[0]
	k := same(p)
	m.push(undoEntry{addr | C.UNDO_FILL<<C.UNDO_KIND_SHIFT, uint64(k)<<8 | uint64(old)})
	fill(p[:k], v)
	return uint64(k)
}

// alivePart sets or clears some bits of a byte.
func (m *Machine) alivePart(at uint64, mask uint8, set bool) {
	b := m.Bytes(at, 1)[0]
	if set {
		b |= mask
	} else {
		b &^= mask
	}
	m.Write8(at, b)
}

// Bury makes r a part of thread n's stack that no other thread may access: all of it, when the
// thread has ended. 4096 threads have one at the most. An empty range digs it up. Rewind
// takes it back.
func (m *Machine) Bury(n int, r Range) {
	if n >= maxGraves || m.cfg.Heap == (Range{}) {
		return
	}
	at := graves(m.cfg.Heap) + uint64(n)*16
	m.Write64(at, r.Lo)
	m.Write64(at+8, r.Hi)
	if r.Lo >= r.Hi {
		return
	}
	// The hull only grows: it saves looking into the table.
	c := m.c
	c.grave_slots = max(c.grave_slots, C.uint32_t(n+1))
	if r.Lo >= uint64(c.grave_lo) && r.Hi <= uint64(c.grave_lo+c.grave_len) {
		return
	}
	m.recall.forget()
	if c.grave_len == 0 {
		c.grave_lo, c.grave_len = C.uint64_t(r.Lo), C.uint64_t(r.Hi-r.Lo)
		return
	}
	lo, hi := min(c.grave_lo, C.uint64_t(r.Lo)), max(c.grave_lo+c.grave_len, C.uint64_t(r.Hi))
	c.grave_lo, c.grave_len = lo, hi-lo
}

// Buried is the range of number n.
func (m *Machine) Buried(n int) Range {
	if n >= maxGraves || m.cfg.Heap == (Range{}) {
		return Range{}
	}
	at := graves(m.cfg.Heap) + uint64(n)*16
	return Range{Lo: m.Read64(at), Hi: m.Read64(at + 8)}
}

// HasHeap reports whether any address is in Config.Heap: else nothing is ever Dead.
func (m *Machine) HasHeap() bool { return m.cfg.Heap.Lo < m.cfg.Heap.Hi }

// Dead reports whether a byte of [addr, addr+n) is in Config.Heap and in no live
// block.
func (m *Machine) Dead(addr, n uint64) bool {
	h := m.cfg.Heap
	lo, hi := max(addr, h.Lo), min(addr+n, h.Hi)
	if lo >= hi || addr+n < addr {
		return false
	}
	if hole := m.cfg.HeapHole; addr-hole.Lo < hole.Hi-hole.Lo {
		return false
	}
	for at := lo &^ 7; at < hi; at += 8 {
		mask := uint8(0xff)
		if at < lo {
			mask &= 0xff << (lo - at)
		}
		if hi < at+8 {
			mask &= 0xff >> (at + 8 - hi)
		}
		bits := *(*uint8)(unsafe.Add(m.mem, h.Hi+(at-h.Lo)/8))
		if m.cfg.HeapOpen {
			bits = ^bits
		}
		if mask&^bits != 0 {
			return true
		}
	}
	return false
}
