package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
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

// Touch says of n bytes that landgo itself reads or writes for a thread whether
// threads share them, and learns from it as from an access of untrusted code. What is
// declared constant is shared once it is written.
func (m *Machine) Touch(t trace.TID, addr, n uint64, write bool) (shared, learned bool) {
	if !m.inSpace(addr, n) {
		return false, false
	}
	if m.c.all_shared {
		return true, false
	}
	return m.touch(t, addr, n, write)
}

// TouchWord is Touch of a word that isn't memory: DeclareAllShared doesn't mean it.
func (m *Machine) TouchWord(t trace.TID, addr, n uint64) (shared, learned bool) {
	return m.touch(t, addr, n, true)
}

func (m *Machine) touch(t trace.TID, addr, n uint64, write bool) (shared, learned bool) {
	me := uint8(C.SHARED)
	if t >= 0 && t < C.LAST_OWNER {
		me = uint8(t) + 1
	}
	for g := addr >> C.GRANULE_SHIFT; g <= (addr+n-1)>>C.GRANULE_SHIFT; g++ {
		b := (*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), g))
		switch {
		case *b == C.SHARED:
			shared = true
		case *b == C.UNTOUCHED:
			*b = me
			m.c.owners++
			m.noteTouched(g)
		case *b == C.CONSTANT && !write:
			continue
		case *b == C.CONSTANT:
			*b, shared, learned = C.SHARED, true, true
			m.c.owners++
		case *b > C.LAST_OWNER: // trusted code only
			*b, learned = me, true
			m.c.owners++
		case *b != me:
			*b, shared, learned = C.SHARED, true, true
			m.c.owners++
		}
		if *b == C.SHARED {
			shared = true
		}
	}
	return shared, learned
}

// TouchTrusted is Touch for trusted code: only another thread's untrusted
// accesses make the bytes shared, or writes those that are declared constant.
func (m *Machine) TouchTrusted(t trace.TID, addr, n uint64, write bool) (learned bool) {
	if bool(m.c.all_shared) || !m.inSpace(addr, n) {
		return false
	}
	for g := addr >> C.GRANULE_SHIFT; g <= (addr+n-1)>>C.GRANULE_SHIFT; g++ {
		b := (*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), g))
		switch {
		case *b == C.UNTOUCHED:
			*b = C.TRUSTED_ONLY
			m.noteTouched(g)
		case *b == C.CONSTANT && write:
			*b, learned = C.SHARED, true
			m.c.owners++
		case *b <= C.LAST_OWNER && (t < 0 || uint64(*b) != uint64(t)+1):
			*b, learned = C.SHARED, true
			m.c.owners++
		}
	}
	return learned
}

// SharedHull is the smallest range that has all bytes of [lo, hi) in it that
// threads share, to 8 bytes; empty if there are none.
func (m *Machine) SharedHull(lo, hi uint64) (hull Range) {
	if hi <= lo || !m.inSpace(lo, hi-lo) {
		return hull
	}
	was := &m.hulls[lo/abi.PageSize%uint64(len(m.hulls))]
	if was.of != (Range{Lo: lo, Hi: hi}) || was.owners != uint64(m.c.owners) {
		*was = hullFound{Range{Lo: lo, Hi: hi}, m.hullOf(lo, hi), uint64(m.c.owners)}
	}
	return was.hull
}

// hullOf is SharedHull by the bytes themselves.
func (m *Machine) hullOf(lo, hi uint64) (hull Range) {
	first, last := lo>>C.GRANULE_SHIFT, (hi-1)>>C.GRANULE_SHIFT
	touched := m.touchedPages()[:last>>abi.PageShift+1]
	for g := first; g <= last; {
		next := bytes.IndexByte(touched[g>>abi.PageShift:], 1) // a stack is large, and little of it is used
		if next < 0 {
			break
		}
		if next > 0 {
			g = (g>>abi.PageShift + uint64(next)) << abi.PageShift
		}
		end := min(last+1, (g>>abi.PageShift+1)<<abi.PageShift)
		page := unsafe.Slice((*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), g)), end-g)
		if i := bytes.IndexByte(page, C.SHARED); i >= 0 {
			if hull.Hi == 0 {
				hull.Lo = max((g+uint64(i))<<C.GRANULE_SHIFT, lo)
			}
			hull.Hi = min((g+uint64(bytes.LastIndexByte(page, C.SHARED))+1)<<C.GRANULE_SHIFT, hi)
		}
		g = end
	}
	return hull
}

// hullFound is what SharedHull found when this many granules had changed.
type hullFound struct {
	of, hull Range
	owners   uint64
}

// Claim makes the bytes of [lo, hi) shared that only another thread's untrusted code has touched.
// They were thread t's all the time. own tells of such a thread that it had them before. It
// reports whether there were any; to 8 bytes.
func (m *Machine) Claim(t trace.TID, lo, hi uint64, own func(other trace.TID, addr uint64) bool) (learned bool) {
	if bool(m.c.all_shared) || hi <= lo || !m.inSpace(lo, hi-lo) {
		return false
	}
	me := uint8(C.SHARED)
	if t >= 0 && t < C.LAST_OWNER {
		me = uint8(t) + 1
	}
	looked := claimed{hi, t, uint64(m.c.owners)}
	if m.claimed[lo] == looked {
		return false
	}
	clean := true
	kinds := []byte{C.UNTOUCHED, C.TRUSTED_ONLY, C.SHARED}
	if me != C.SHARED {
		kinds = []byte{C.UNTOUCHED, me, C.TRUSTED_ONLY, C.SHARED}
	}
	touched := m.touchedPages()
	for g, last := lo>>C.GRANULE_SHIFT, (hi-1)>>C.GRANULE_SHIFT; g <= last; {
		end := min(last+1, (g>>abi.PageShift+1)<<abi.PageShift)
		if touched[g>>abi.PageShift] == 0 {
			g = end
			continue
		}
		page := unsafe.Slice((*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), g)), end-g)
		rest := len(page) // of the bytes that others may have touched
		for _, b := range kinds {
			if rest > 0 {
				rest -= bytes.Count(page, []byte{b})
			}
		}
		clean = clean && rest == 0
		for i := 0; rest > 0 && i < len(page); i++ {
			if b := page[i]; b != C.UNTOUCHED && b <= C.LAST_OWNER && b != me && !own(trace.TID(b)-1, (g+uint64(i))<<C.GRANULE_SHIFT) {
				page[i], learned = C.SHARED, true
				m.c.owners++
			}
		}
		g = end
	}
	if clean {
		m.claimed[lo] = looked
	}
	return learned
}

// claimed is a stretch of memory in which only its thread was, when this many granules had had a
// first owner.
type claimed struct {
	hi     uint64
	t      trace.TID
	owners uint64
}

// Others lists the parts of [addr, addr+n) that another thread's untrusted code
// has touched, in order, to 8 bytes. Thread t counts from now on as one that
// touched the rest.
func (m *Machine) Others(t trace.TID, addr, n uint64) []Range {
	var out []Range
	if n == 0 || !m.inSpace(addr, n) {
		return nil
	}
	if m.c.all_shared {
		return []Range{{Lo: addr, Hi: addr + n}}
	}
	me := uint8(C.SHARED)
	if t >= 0 && t < C.LAST_OWNER {
		me = uint8(t) + 1
	}
	first := addr >> C.GRANULE_SHIFT
	shadow := unsafe.Slice((*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), first)), (addr+n-1)>>C.GRANULE_SHIFT-first+1)
	for i := 0; i < len(shadow); i++ {
		// A stack is a million granules, nearly all of them in one state.
		if i&7 == 0 && i+8 <= len(shadow) {
			if me != C.SHARED && binary.NativeEndian.Uint64(shadow[i:]) == uint64(me)*ones {
				i += 7
				continue
			}
		}
		owner := shadow[i]
		if owner == C.UNTOUCHED || owner == C.TRUSTED_ONLY {
			shadow[i] = me
			m.c.owners++
			continue
		}
		if owner == me && me != C.SHARED {
			continue
		}
		lo := (first + uint64(i)) << C.GRANULE_SHIFT
		if k := len(out); k > 0 && out[k-1].Hi == lo {
			out[k-1].Hi = lo + 1<<C.GRANULE_SHIFT
		} else {
			out = append(out, Range{Lo: lo, Hi: lo + 1<<C.GRANULE_SHIFT})
		}
	}
	return out
}

// ones has a 1 in each byte.
const ones = 0x0101010101010101
