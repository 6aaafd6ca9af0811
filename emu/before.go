package emu

// #include "machine.h"
import "C"

import (
	"cmp"
	"slices"
	"unsafe"
)

// Before fills b with the bytes at addr as they were at a moment of the journal.
func (m *Machine) Before(b []byte, since, addr uint64) {
	n := uint64(len(b))
	copy(b, m.Bytes(addr, n))
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	for i := m.Journal(); i > since; i-- {
		u := &j[i-1]
		at, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
		old := func(k uint64) byte { return byte(u.old >> (8 * k)) }
		switch u.where >> C.UNDO_KIND_SHIFT & 0xff {
		case C.UNDO_PERM:
			continue
		case C.UNDO_FILL:
			size, old = u.old>>8, func(uint64) byte { return byte(u.old) }
		}
		for k := max(at, addr); k < min(at+size, addr+n); k++ {
			b[k-addr] = old(k - at)
		}
	}
}

// First is a byte that was written, with what was there before.
type First struct {
	Addr uint64
	Old  byte
}

// Firsts are the bytes that were written since a moment of the journal, by address, with what was
// there then. It goes through the journal once. They are there until the next call.
func (m *Machine) Firsts(since uint64) []First {
	// alike is how many of the entries before are looked through for one of the same bytes.
	const alike = 16
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[since:]
	list := m.firsts[:0]
	for i := range j {
		u := &j[i]
		kind, size, fill := u.where>>C.UNDO_KIND_SHIFT&0xff, u.where>>C.UNDO_SIZE_SHIFT, false
		switch kind {
		case C.UNDO_PERM:
			continue
		case C.UNDO_FILL:
			size, fill = u.old>>8, true
		}
		same := func(e undoEntry) bool { return e.where == u.where && (!fill || e.old>>8 == size) }
		if slices.ContainsFunc(j[max(i-alike, 0):i], same) {
			continue // that one was before
		}
		for k := range size {
			b := byte(u.old)
			if !fill {
				b = byte(u.old >> (8 * k))
			}
			list = append(list, First{u.where&(1<<C.UNDO_KIND_SHIFT-1) + k, b})
		}
	}
	slices.SortStableFunc(list, func(a, b First) int { return cmp.Compare(a.Addr, b.Addr) })
	m.firsts = slices.CompactFunc(list, func(a, b First) bool { return a.Addr == b.Addr })
	return m.firsts
}
