package emu

// #include "machine.h"
import "C"

import "unsafe"

// Before returns n bytes at addr as they were at a moment of the journal.
func (m *Machine) Before(since, addr, n uint64) []byte {
	b := append([]byte(nil), m.Bytes(addr, n)...)
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
	return b
}

// Firsts are the bytes that were written since a moment of the journal, with what was there then.
// It goes through the journal once.
func (m *Machine) Firsts(since uint64) map[uint64]byte {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[since:]
	type part struct{ where, size uint64 }
	seen, first := map[part]bool{}, map[uint64]byte{}
	for i := range j {
		u := &j[i]
		p := part{u.where, u.where >> C.UNDO_SIZE_SHIFT}
		fill := u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_FILL
		if fill {
			p.size = u.old >> 8
		}
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM || seen[p] {
			continue
		}
		seen[p] = true
		for k := range p.size {
			a, b := u.where&(1<<C.UNDO_KIND_SHIFT-1)+k, byte(u.old)
			if !fill {
				b = byte(u.old >> (8 * k))
			}
			if _, ok := first[a]; !ok {
				first[a] = b
			}
		}
	}
	return first
}
