package emu

// #include "machine.h"
import "C"

import (
	"encoding/binary"
	"unsafe"

	"landgo/trace"
)

// Journal is the length of the journal of guest memory: a name for this moment
// that Unchanged understands, for as long as the machine isn't rewound past it.
func (m *Machine) Journal() uint64 { return uint64(m.c.njournal) }

// Unchanged reports whether guest memory and permissions are as they were when
// the journal had the length from, leaving out the bytes in ignore. Changes
// that were taken back count as none.
func (m *Machine) Unchanged(from uint64, ignore Range) bool {
	j := unsafe.Slice((*undoEntry)(unsafe.Pointer(m.c.journal)), m.c.njournal)
	for i := from; i < uint64(len(j)); i++ {
		u := &j[i]
		if u.where>>C.UNDO_KIND_SHIFT&0xff == C.UNDO_PERM {
			return false
		}
		addr, size := u.where&(1<<C.UNDO_KIND_SHIFT-1), u.where>>C.UNDO_SIZE_SHIFT
		for k := uint64(0); k < size; k++ {
			a := addr + k
			if a >= ignore.Lo && a < ignore.Hi || *(*uint8)(unsafe.Add(m.mem, a)) == uint8(u.old>>(8*k)) {
				continue
			}
			// What an entry remembers is what was there at that moment only if
			// no earlier entry has the byte.
			if !m.rememberedBefore(j[from:i], a) {
				return false
			}
		}
	}
	return true
}

func (m *Machine) rememberedBefore(j []undoEntry, a uint64) bool {
	for i := range j {
		addr, size := j[i].where&(1<<C.UNDO_KIND_SHIFT-1), j[i].where>>C.UNDO_SIZE_SHIFT
		if j[i].where>>C.UNDO_KIND_SHIFT&0xff != C.UNDO_PERM && a >= addr && a < addr+size {
			return true
		}
	}
	return false
}

// Touch says of n bytes that landgo itself reads or writes for a thread whether
// threads share them, and learns from it as from an access of untrusted code.
func (m *Machine) Touch(t trace.TID, addr, n uint64) (shared, learned bool) {
	if !m.inSpace(addr, n) {
		return false, false
	}
	if m.c.all_shared {
		return true, false
	}
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
			m.touchedPages()[g>>pageShift] = true
		case *b > C.LAST_OWNER: // trusted code only
			*b, learned = me, true
		case *b != me:
			*b, shared, learned = C.SHARED, true, true
		}
		if *b == C.SHARED {
			shared = true
		}
	}
	return shared, learned
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
