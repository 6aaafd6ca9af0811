package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"errors"
	"iter"
	"slices"
	"unsafe"

	"landgo/internal/abi"
)

// DeclareConstant says that no thread writes to these bytes once there are several; granules
// that are only in part of them are left out. A read of one is no event, and makes no thread
// its owner, until one is written after all.
func (m *Machine) DeclareConstant(ranges []Range) {
	m.c.owners++
	for _, r := range ranges {
		if r.Hi <= r.Lo || !m.inSpace(r.Lo, r.Hi-r.Lo) {
			continue
		}
		C.machine_populate_sharing(m.c, C.uint64_t(r.Lo>>C.GRANULE_SHIFT), C.uint64_t((r.Hi-r.Lo)>>C.GRANULE_SHIFT))
		for g, last := (r.Lo+(1<<C.GRANULE_SHIFT-1))>>C.GRANULE_SHIFT, r.Hi>>C.GRANULE_SHIFT; g < last; {
			end := min(last, (g>>abi.PageShift+1)<<abi.PageShift)
			m.noteTouched(g)
			page := m.sharingBytes(g >> abi.PageShift)[g%abi.PageSize : (end-1)%abi.PageSize+1]
			for i := range page {
				page[i] = C.CONSTANT
			}
			g = end
		}
	}
}

// Vary says that what is in [addr, addr+n), or whether it can be read, changes: it is
// shared if it was declared constant. It reports whether any was.
func (m *Machine) Vary(addr, n uint64) (learned bool) {
	if n == 0 || !m.inSpace(addr, n) {
		return false
	}
	touched := m.touchedPages()
	for g, last := addr>>C.GRANULE_SHIFT, (addr+n-1)>>C.GRANULE_SHIFT; g <= last; {
		end := min(last+1, (g>>abi.PageShift+1)<<abi.PageShift)
		if touched[g>>abi.PageShift] != 0 {
			page := m.sharingBytes(g >> abi.PageShift)[g%abi.PageSize : (end-1)%abi.PageSize+1]
			for i := bytes.IndexByte(page, C.CONSTANT); i >= 0; i = bytes.IndexByte(page, C.CONSTANT) {
				page[i], learned = C.SHARED, true
				m.c.owners++
			}
		}
		g = end
	}
	return learned
}

// SharingPage is the knowledge of the sharing of one stretch of memory: a byte
// for each granule of 8 bytes, as machine.h has them.
type SharingPage struct {
	Number uint64 // the first granule is Number*abi.PageSize
	Bytes  []byte // abi.PageSize of them
}

// touchedPages has a 1 for each page that was touched.
func (m *Machine) touchedPages() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m.c.touched)), m.space>>C.GRANULE_SHIFT>>abi.PageShift)
}

func (m *Machine) sharingBytes(page uint64) []byte {
	return unsafe.Slice((*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), page<<abi.PageShift)), abi.PageSize)
}

// noteTouched notes that a granule was touched.
func (m *Machine) noteTouched(granule uint64) {
	m.touchedPages()[granule>>abi.PageShift] = 1
	m.regions()[granule>>abi.PageShift>>abi.PageShift] = 1
}

// regions has a 1 for each page of touchedPages that has one.
func (m *Machine) regions() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m.c.regions)), m.space>>C.GRANULE_SHIFT>>abi.PageShift>>abi.PageShift+1)
}

// SharingPages is all that was learned of sharing, in ascending order: what was declared
// constant and still is wasn't learned.
func (m *Machine) SharingPages() (pages []SharingPage) {
	all := m.touchedPages()
	for region := range marked(m.regions()) { // there are millions of pages, and few of them touched
		first := region << abi.PageShift
		for i := range marked(all[first:min(first+abi.PageSize, uint64(len(all)))]) {
			page := m.sharingBytes(first + i)
			if bytes.Count(page, []byte{C.CONSTANT})+bytes.Count(page, []byte{C.UNTOUCHED}) < len(page) {
				pages = append(pages, SharingPage{first + i, slices.Clone(page)})
			}
		}
	}
	return pages
}

// marked are the places of p that have a 1, ascending.
func marked(p []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := 0; ; i++ {
			next := bytes.IndexByte(p[i:], 1)
			if next < 0 || !yield(uint64(i+next)) {
				return
			}
			i += next
		}
	}
}

// LearnSharing adds the knowledge of another machine, with the same guest and
// the same thread numbers. It reports whether the two together know of memory
// that more than one thread touches and that this machine didn't know of.
func (m *Machine) LearnSharing(pages []SharingPage) (news bool, err error) {
	m.c.owners++
	for _, p := range pages {
		if p.Number >= uint64(len(m.touchedPages())) || len(p.Bytes) != abi.PageSize {
			return news, errors.New("the knowledge of sharing is of another address space")
		}
		m.noteTouched(p.Number << abi.PageShift)
		mine := m.sharingBytes(p.Number)
		for i, b := range p.Bytes {
			a := mine[i]
			switch {
			case a == b || b == C.UNTOUCHED || a == C.SHARED:
				continue
			case a == C.UNTOUCHED && b != C.SHARED:
				mine[i] = b
				continue
			case a == C.TRUSTED_ONLY && b <= C.LAST_OWNER:
				mine[i] = b
			case b == C.TRUSTED_ONLY && a <= C.LAST_OWNER:
				// Stays its owner's; that trusted code of another thread was
				// there may matter.
			default:
				mine[i] = C.SHARED
			}
			news = true
		}
	}
	return news, nil
}
