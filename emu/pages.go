package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"encoding/binary"

	"landgo/internal/abi"
)

// Whole pages, as a kernel works on them.

// ProtEnd is the first address from addr on whose page doesn't allow p. If all
// do, it is the end of [addr, addr+size), which has to be in the address space.
func (m *Machine) ProtEnd(addr, size uint64, p Prot) uint64 {
	end := addr + size
	if size == 0 {
		return end
	}
	for page := addr >> abi.PageShift; page <= (end-1)>>abi.PageShift; page++ {
		if Prot(m.perm[page])&p != p {
			return max(addr, page<<abi.PageShift)
		}
	}
	return end
}

// Mapped is the number of bytes of the pages from addr on that are accessible in any
// way; both numbers are multiples of a page's size.
func (m *Machine) Mapped(addr, size uint64) uint64 {
	if !m.inSpace(addr, size) {
		return 0
	}
	perm := m.perm[addr>>abi.PageShift : (addr+size)>>abi.PageShift]
	n := len(perm)
	for _, none := range []uint8{0, gone, uint8(NoAccess)} {
		n -= bytes.Count(perm, []byte{none})
	}
	return uint64(n) << abi.PageShift
}

// MapEnd is the first address from addr on whose page is in no map, or the end of
// [addr, addr+size), whole pages, if all are.
func (m *Machine) MapEnd(addr, size uint64) uint64 { return m.mapsEnd(addr, size, true) }

// HoleEnd is the first address from addr on whose page is in a map, or the end of
// [addr, addr+size), whole pages, if none is.
func (m *Machine) HoleEnd(addr, size uint64) uint64 { return m.mapsEnd(addr, size, false) }

func (m *Machine) mapsEnd(addr, size uint64, in bool) uint64 {
	if !m.inSpace(addr, size) {
		return addr
	}
	first, end := addr>>abi.PageShift, (addr+size)>>abi.PageShift
	for first < end && inMap(m.perm[first]) == in {
		first += m.sameProt(first, end-1)
	}
	return first << abi.PageShift
}

// Alike reports whether whole pages are in maps and allow the same.
func (m *Machine) Alike(addr, size uint64) bool {
	if !m.inSpace(addr, size) || size == 0 {
		return false
	}
	first, pages := addr>>abi.PageShift, size>>abi.PageShift
	return inMap(m.perm[first]) && m.sameProt(first, first+pages-1) >= pages
}

// GoneEnd is the first address from addr on whose page wasn't in a map once and taken
// away since. If all pages were, it is the end of [addr, addr+size), whole pages.
func (m *Machine) GoneEnd(addr, size uint64) uint64 {
	end := addr
	for ; end-addr < size && end < m.space && m.perm[end>>abi.PageShift] == gone; end += abi.PageSize {
	}
	return end
}

// Try calls f and takes back its changes of guest memory, of permissions, and
// through Set and Undo. f makes no contexts and no marks.
func (m *Machine) Try(f func()) {
	journal, log := uint64(m.c.njournal), len(m.log)
	f()
	m.rewindLog(log)
	m.rewindJournal(journal)
}

// TouchedByOthers reports whether a byte of [addr, addr+n) was ever touched by
// another thread's untrusted code than t's, to 8 bytes.
func (m *Machine) TouchedByOthers(t int32, addr, n uint64) bool {
	if n == 0 || !m.inSpace(addr, n) {
		return false
	}
	if m.c.all_shared {
		return true
	}
	me := uint8(C.SHARED)
	if t >= 0 && t < C.LAST_OWNER {
		me = uint8(t) + 1
	}
	touched := m.touchedPages()
	last := (addr + n - 1) >> C.GRANULE_SHIFT
	for g := addr >> C.GRANULE_SHIFT; g <= last; {
		end := min(last+1, (g>>abi.PageShift+1)<<abi.PageShift)
		if touched[g>>abi.PageShift] != 0 {
			if othersIn(m.sharingBytes(g >> abi.PageShift)[g%abi.PageSize:(end-1)%abi.PageSize+1], me) {
				return true
			}
		}
		g = end
	}
	return false
}

// othersIn reports whether one of these sharing bytes is of another thread than me. Eight of one
// kind are looked at together: those of a whole stack mostly are.
func othersIn(sharing []byte, me uint8) bool {
	const each = 0x0101010101010101
	for len(sharing) > 0 {
		n := min(8, len(sharing))
		if n == 8 {
			if w := binary.LittleEndian.Uint64(sharing); w == C.UNTOUCHED*each || me != C.SHARED && w == uint64(me)*each {
				sharing = sharing[n:]
				continue
			}
		}
		for _, b := range sharing[:n] {
			if b != C.UNTOUCHED && b != C.TRUSTED_ONLY && (b != me || me == C.SHARED) {
				return true
			}
		}
		sharing = sharing[n:]
	}
	return false
}
