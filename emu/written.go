package emu

// #include "journal.h"
import "C"

import (
	"bytes"
	"unsafe"

	"landgo/internal/abi"
)

// Which pages were ever written to. The others hold zeros, and needn't be looked at
// when a system call clears them: a stack that is given back has thousands.
//
// The journal names all stores but those of loaders (Load, Fill). A page stays
// written to when a store is taken back.

// noteWritten takes in what the journal has got since the last look.
func (m *Machine) noteWritten() {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	for i := range j[m.c.looked:] {
		u := &j[int(m.c.looked)+i]
		place := u.where & (1<<C.UNDO_KIND_SHIFT - 1)
		switch u.where >> C.UNDO_KIND_SHIFT & 0xff {
		case C.UNDO_MEMORY:
			m.written[place>>abi.PageShift] = 1
			if last := (place + 7) >> abi.PageShift; last < uint64(len(m.written)) {
				m.written[last] = 1
			}
		case C.UNDO_FILL:
			m.setWritten(place, u.old>>8)
		}
	}
	m.c.looked = m.c.njournal
}

// setWritten notes a store of n bytes, n > 0, that isn't in the journal.
func (m *Machine) setWritten(addr, n uint64) {
	fill(m.written[addr>>abi.PageShift:(addr+n-1)>>abi.PageShift+1], 1)
}

// Clear writes zeros over whole pages; Rewind takes it back. Pages that are zero put
// nothing into the journal.
func (m *Machine) Clear(addr, size uint64) {
	m.eachWritten(addr, size, func(page uint64) { m.Write(page, zeroPage[:]) })
}

// CopyPages copies whole pages to pages that hold zeros; Rewind takes it back.
func (m *Machine) CopyPages(to, from, size uint64) {
	m.eachWritten(from, size, func(page uint64) { m.Write(to+(page-from), m.Bytes(page, abi.PageSize)) })
}

// eachWritten calls f with the pages of [addr, addr+size) that don't hold zeros only.
// All are in the address space.
func (m *Machine) eachWritten(addr, size uint64, f func(page uint64)) {
	m.noteWritten()
	for page, end := addr>>abi.PageShift, (addr+size)>>abi.PageShift; page < end; page++ {
		n := bytes.IndexByte(m.written[page:end], 1)
		if n < 0 {
			return
		}
		page += uint64(n)
		if !m.IsZero(page << abi.PageShift) {
			f(page << abi.PageShift)
		}
	}
}

// IsZero reports whether a page holds zeros only.
func (m *Machine) IsZero(page uint64) bool {
	return bytes.Equal(m.Bytes(page, abi.PageSize), zeroPage[:])
}

var zeroPage [abi.PageSize]byte

// Overlay gives whole pages these contents, and zeros behind them; Rewind takes it back.
// Pages that have them already put nothing into the journal, and a stretch of pages that
// hold zeros one entry. It refuses what Write refuses.
func (m *Machine) Overlay(addr, size uint64, p []byte) bool {
	if !m.inSpace(addr, size) || m.touchesCode(addr, size) || m.c.programs != nil {
		return false
	}
	m.noteWritten()
	blank := uint64(0) // pages before at that hold zeros, and are to hold something
	for at := uint64(0); ; at += abi.PageSize {
		var want []byte
		if at < size {
			want = p[min(at, uint64(len(p))):min(at+abi.PageSize, uint64(len(p)))]
		}
		page := addr + at
		if at < size && !allZero(want) && (m.written[page>>abi.PageShift] == 0 || m.IsZero(page)) {
			blank += abi.PageSize
			continue
		}
		if blank > 0 {
			lo := at - blank
			m.push(undoEntry{addr + lo | C.UNDO_FILL<<C.UNDO_KIND_SHIFT, blank << 8})
			C.machine_populate(m.c, C.uint64_t(addr+lo), C.uint64_t(blank))
			copy(m.Bytes(addr+lo, blank), p[lo:])
			blank = 0
		}
		if at >= size {
			return true
		}
		if now := m.Bytes(page, abi.PageSize); m.written[page>>abi.PageShift] != 0 && (!bytes.Equal(now[:len(want)], want) || !allZero(now[len(want):])) {
			m.Write(page, want)
			m.Write(page+uint64(len(want)), zeroPage[len(want):])
		}
	}
}

// allZero reports whether a part of a page holds zeros only.
func allZero(p []byte) bool { return bytes.Equal(p, zeroPage[:len(p)]) }
