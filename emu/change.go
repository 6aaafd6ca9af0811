package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"encoding/binary"
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Journal is the length of the journal of guest memory: a name for this moment
// that Unchanged understands, for as long as the machine isn't rewound past it.
func (m *Machine) Journal() uint64 { return uint64(m.c.njournal) }

// A Stretch is a part of the journal of guest memory: the writes between two
// moments.
type Stretch struct{ From, To uint64 }

// Unchanged reports whether the writes in the given stretches of the journal,
// in ascending order, made no difference. Each written byte, except those that
// ignore accepts, is now as before its first write in them. A change of
// permissions counts as a difference.
func (m *Machine) Unchanged(in []Stretch, ignore func(addr uint64) bool) bool {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	for n, s := range in {
		for i := s.From; i < s.To; i++ {
			u := &j[i]
			if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM {
				return false
			}
			if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_FILL {
				if !m.filledAsBefore(u) && !filledEarlier(j, in[:n], s.From, i) {
					return false
				}
				continue
			}
			addr, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
			for k := uint64(0); k < size; k++ {
				a := addr + k
				if *(*uint8)(unsafe.Add(m.mem, a)) == uint8(u.old>>(8*k)) || ignore(a) {
					continue
				}
				// An entry has a byte's first value only if no earlier entry
				// has the byte.
				before := rememberedBefore(j[s.From:i], a)
				for _, e := range in[:n] {
					before = before || rememberedBefore(j[e.From:e.To], a)
				}
				if !before {
					return false
				}
			}
		}
	}
	return true
}

// Written lists the memory that was written since a moment of the journal, in
// order; neighbouring parts are one range.
func (m *Machine) Written(since uint64) (list []Range) {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[since:]
	for i := range j {
		u := &j[i]
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM {
			continue
		}
		at, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_FILL {
			size = u.old >> 8
		}
		if n := len(list); n > 0 && list[n-1].Hi == at {
			list[n-1].Hi += size
		} else {
			list = append(list, Range{at, at + size})
		}
	}
	return list
}

// Changes calls f for each change of memory since a moment of the journal, oldest first,
// until it returns false: where it was, and of how many bytes. A change of permissions is
// of whole pages.
func (m *Machine) Changes(since uint64, f func(addr, size uint64) bool) {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)[since:]
	for i := range j {
		u := &j[i]
		at, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
		switch u.where >> C.UNDO_KIND_SHIFT & 0xff {
		case C.UNDO_PERM:
			at, size = at<<abi.PageShift, u.old>>8<<abi.PageShift
		case C.UNDO_FILL:
			size = u.old >> 8
		}
		if !f(at, size) {
			return
		}
	}
}

// filledAsBefore reports whether the bytes of an entry of many have their old
// values.
func (m *Machine) filledAsBefore(u *undoEntry) bool {
	p := m.Bytes(u.where&(1<<C.UNDO_KIND_SHIFT-1), u.old>>8)
	return p[0] == uint8(u.old) && same(p) == len(p)
}

// filledEarlier reports whether an earlier entry than j[i], of the stretches before
// or from the given one on, has the same bytes: that one has the first values.
func filledEarlier(j []undoEntry, before []Stretch, from, i uint64) bool {
	covers := func(e []undoEntry) bool {
		for k := range e {
			if e[k].where == j[i].where && e[k].old>>8 >= j[i].old>>8 {
				return true
			}
		}
		return false
	}
	for _, s := range before {
		if covers(j[s.From:s.To]) {
			return true
		}
	}
	return covers(j[from:i])
}

func rememberedBefore(j []undoEntry, a uint64) bool {
	for i := range j {
		addr, size := j[i].where&(1<<C.UNDO_KIND_SHIFT-1), j[i].where>>C.UNDO_SIZE_SHIFT
		if j[i].where>>C.UNDO_KIND_SHIFT&0xff != C.UNDO_PERM && a >= addr && a < addr+size {
			return true
		}
	}
	return false
}

// Values calls f with the values that n <= 8 bytes at addr have had since a moment of
// the journal, the present one first.
func (m *Machine) Values(since, addr, n uint64, f func(v uint64)) {
	var b [8]byte
	copy(b[:n], m.Bytes(addr, n))
	f(binary.LittleEndian.Uint64(b[:]))
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	for i := m.Journal(); i > since; i-- {
		u := &j[i-1]
		at, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM || at+size <= addr || at >= addr+n {
			continue
		}
		for k := max(at, addr); k < min(at+size, addr+n); k++ {
			b[k-addr] = byte(u.old >> (8 * (k - at)))
		}
		f(binary.LittleEndian.Uint64(b[:]))
	}
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
	if was.of != (Range{lo, hi}) || was.owners != uint64(m.c.owners) {
		*was = hullFound{Range{lo, hi}, m.hullOf(lo, hi), uint64(m.c.owners)}
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
		return []Range{{addr, addr + n}}
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
			out = append(out, Range{lo, lo + 1<<C.GRANULE_SHIFT})
		}
	}
	return out
}

// ones has a 1 in each byte.
const ones = 0x0101010101010101

// Logged is the length of the log of Go-side state: it grows with each Set that
// changes a word, and with each Undo.
func (m *Machine) Logged() int { return len(m.log) }

// OnlySet reports whether all changes of Go-side state are of one word since the log had a length.
func (m *Machine) OnlySet(p *uint64, since int) bool {
	for i := since; i < len(m.log); i++ {
		if m.log[i].word != p {
			return false
		}
	}
	return true
}
