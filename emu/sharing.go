package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"errors"
	"unsafe"
)

// SharingPage is the knowledge of the sharing of one stretch of memory: a byte
// for each granule of 8 bytes, as machine.h has them.
type SharingPage struct {
	Number uint64 // the first granule is Number*SharingPageSize
	Bytes  []byte // SharingPageSize
}

// SharingPageSize is the number of granules of a SharingPage.
const SharingPageSize = pageSize

// touchedPages has a 1 for each page that was touched.
func (m *Machine) touchedPages() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(m.c.touched)), m.space>>C.GRANULE_SHIFT>>pageShift)
}

func (m *Machine) sharingBytes(page uint64) []byte {
	return unsafe.Slice((*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), page<<pageShift)), pageSize)
}

// SharingPages is all that was learned of sharing, in ascending order.
func (m *Machine) SharingPages() (pages []SharingPage) {
	// There are millions, and few of them touched.
	all := m.touchedPages()
	for i := 0; ; i++ {
		next := bytes.IndexByte(all[i:], 1)
		if next < 0 {
			return pages
		}
		i += next
		pages = append(pages, SharingPage{uint64(i), append([]byte(nil), m.sharingBytes(uint64(i))...)})
	}
}

// LearnSharing adds the knowledge of another machine, with the same guest and
// the same thread numbers. It reports whether the two together know of memory
// that more than one thread touches and that this machine didn't know of.
func (m *Machine) LearnSharing(pages []SharingPage) (news bool, err error) {
	known := m.touchedPages()
	for _, p := range pages {
		if p.Number >= uint64(len(known)) || len(p.Bytes) != pageSize {
			return news, errors.New("the knowledge of sharing is of another address space")
		}
		known[p.Number] = 1
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
