package emu

// #include "machine.h"
import "C"

import (
	"encoding/binary"
	"unsafe"

	"landgo/internal/abi"
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
			list = append(list, Range{Lo: at, Hi: at + size})
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
