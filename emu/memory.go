package emu

// #include "machine.h"
import "C"

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"landgo/internal/abi"
)

// inSpace reports whether n bytes at addr are guest memory.
func (m *Machine) inSpace(addr, n uint64) bool {
	return addr <= m.space && n <= m.space-addr
}

// Load writes p at addr without remembering the old bytes, for a loader before
// the first mark. It may write code.
func (m *Machine) Load(addr uint64, p []byte) error {
	n := uint64(len(p))
	if !m.inSpace(addr, n) {
		return fmt.Errorf("%d bytes at %#x are outside the guest's address space", n, addr)
	}
	C.machine_populate(m.c, C.uint64_t(addr), C.uint64_t(n))
	copy(m.Bytes(addr, n), p)
	if n > 0 {
		m.setWritten(addr, n)
	}
	m.loaded = append(m.loaded, Range{Lo: addr, Hi: addr + n})
	for _, r := range m.cfg.Code {
		lo, hi := max(addr, r.Lo), min(addr+n, r.Hi)
		if lo >= hi {
			continue
		}
		m.recall.forget()
		if msg := C.machine_code_changed(m.c, C.uint64_t(lo), C.uint64_t(hi)); msg != nil {
			return fmt.Errorf("can't change code at %#x: %s", lo, C.GoString(msg))
		}
	}
	return nil
}

// Bytes is a view of n bytes of guest memory, whatever their permissions; nil
// if they aren't all in the address space. Writing to it isn't undone by Rewind.
func (m *Machine) Bytes(addr, n uint64) []byte {
	if !m.inSpace(addr, n) {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(m.mem, addr)), n)
}

// Read copies guest memory at addr into p, whatever its permissions. It reports
// whether all of it is in the address space; if not, p is unchanged.
func (m *Machine) Read(addr uint64, p []byte) bool {
	b := m.Bytes(addr, uint64(len(p)))
	copy(p, b)
	return b != nil
}

// Read8, Read32 and Read64 read a little-endian number; 0 outside the
// address space.
func (m *Machine) Read8(addr uint64) uint8 {
	if !m.inSpace(addr, 1) {
		return 0
	}
	return *(*uint8)(unsafe.Add(m.mem, addr))
}

// Read32 is described at Read8.
func (m *Machine) Read32(addr uint64) uint32 {
	if !m.inSpace(addr, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(m.Bytes(addr, 4))
}

// Read64 is described at Read8.
func (m *Machine) Read64(addr uint64) uint64 {
	if !m.inSpace(addr, 8) {
		return 0
	}
	return binary.LittleEndian.Uint64(m.Bytes(addr, 8))
}

// Write stores p at addr, whatever the permissions; Rewind takes it back. It
// reports whether it did. It refuses addresses outside the address space, and
// code: the engine keeps translations of it that a Rewind wouldn't reach.
func (m *Machine) Write(addr uint64, p []byte) bool {
	n := uint64(len(p))
	if !m.inSpace(addr, n) || m.touchesCode(addr, n) {
		return false
	}
	for len(p) > 0 {
		k := min(8, len(p))
		m.remember(addr, uint64(k))
		copy(m.Bytes(addr, uint64(k)), p[:k])
		addr += uint64(k)
		p = p[k:]
	}
	return true
}

// Write8, Write32 and Write64 store a little-endian number like Write.
func (m *Machine) Write8(addr uint64, v uint8) bool {
	if !m.inSpace(addr, 1) || m.touchesCode(addr, 1) {
		return false
	}
	m.remember(addr, 1)
	*(*uint8)(unsafe.Add(m.mem, addr)) = v
	return true
}

// Write32 is described at Write8.
func (m *Machine) Write32(addr uint64, v uint32) bool {
	if !m.inSpace(addr, 4) || m.touchesCode(addr, 4) {
		return false
	}
	m.remember(addr, 4)
	binary.LittleEndian.PutUint32(m.Bytes(addr, 4), v)
	return true
}

// Write64 is described at Write8.
func (m *Machine) Write64(addr uint64, v uint64) bool {
	if !m.inSpace(addr, 8) || m.touchesCode(addr, 8) {
		return false
	}
	m.remember(addr, 8)
	binary.LittleEndian.PutUint64(m.Bytes(addr, 8), v)
	return true
}

func (m *Machine) touchesCode(addr, n uint64) bool {
	for _, r := range m.cfg.Code {
		if addr < r.Hi && r.Lo < addr+n {
			return true
		}
	}
	return false
}

// Fill fills n bytes, a multiple of the pattern, with a pattern. It doesn't
// remember the old bytes, and is for the time before the first mark. It reports
// whether it did: not over code.
func (m *Machine) Fill(addr, n uint64, pattern []byte) bool {
	to := m.Bytes(addr, n)
	if len(to) == 0 || len(m.marks) > 0 || m.touchesCode(addr, n) {
		return false
	}
	if m.c.programs != nil {
		for at := addr &^ (abi.PageSize - 1); at < addr+n; at += abi.PageSize {
			m.staleProgram(at)
		}
	}
	m.setWritten(addr, n)
	for done := copy(to, pattern); done < len(to); done *= 2 {
		copy(to[done:], to[:done])
	}
	return true
}

// Protect sets the permissions of the pages that [addr, addr+size) touches;
// Rewind takes it back. Pages outside the address space are left out.
func (m *Machine) Protect(addr, size uint64, p Prot) {
	if size == 0 || addr >= m.space {
		return
	}
	first := addr >> abi.PageShift
	last := (addr + min(size, m.space-addr) - 1) >> abi.PageShift
	for first <= last {
		n := m.sameProt(first, last)
		if old := m.perm[first]; old != uint8(p) {
			m.rememberProt(first, n, old)
			fill(m.perm[first:first+n], uint8(p))
			m.permitted(first, n)
		}
		first += n
	}
}

// TakeAway is Protect without permissions, of pages that belong to no map from then on:
// those that were in one are remembered as gone, see GoneEnd.
func (m *Machine) TakeAway(addr, size uint64) {
	if size == 0 || addr >= m.space {
		return
	}
	first := addr >> abi.PageShift
	last := (addr + min(size, m.space-addr) - 1) >> abi.PageShift
	for first <= last {
		n := m.sameProt(first, last)
		if old := m.perm[first]; inMap(old) {
			m.rememberProt(first, n, old)
			fill(m.perm[first:first+n], gone)
			m.permitted(first, n)
		}
		first += n
	}
}

// A page's byte has its permissions, or NoAccess, or gone, or 0 if it never was in a map.
const (
	anyAccess = uint8(ProtRead | ProtWrite | ProtExec)
	gone      = 0x80
)

func inMap(perm uint8) bool { return perm&(anyAccess|uint8(NoAccess)) != 0 }

// sameProt counts the pages from first to last that have first's permissions: a guest's
// mapping has many.
func (m *Machine) sameProt(first, last uint64) uint64 { return uint64(same(m.perm[first : last+1])) }

// same counts the bytes at the beginning of p that have one value, eight at a time.
func same(p []uint8) int {
	old, n := p[0], 1
	for all := uint64(old) * ones; n+8 <= len(p) && binary.NativeEndian.Uint64(p[n:]) == all; {
		n += 8
	}
	for n < len(p) && p[n] == old {
		n++
	}
	return n
}

func fill(p []uint8, v uint8) {
	if len(p) == 0 {
		return
	}
	p[0] = v
	for done := 1; done < len(p); done *= 2 {
		copy(p[done:], p[:done])
	}
}

// Prots calls f with the stretches of pages of the same permissions that [addr,
// addr+size) touches, in order, until f returns false. Parts outside the
// address space are left out.
func (m *Machine) Prots(addr, size uint64, f func(r Range, p Prot) bool) {
	if size == 0 || addr >= m.space {
		return
	}
	first := addr >> abi.PageShift
	last := (addr + min(size, m.space-addr) - 1) >> abi.PageShift
	for first <= last {
		n := m.sameProt(first, last)
		if !f(Range{Lo: first << abi.PageShift, Hi: (first + n) << abi.PageShift}, Prot(m.perm[first]&anyAccess)) {
			return
		}
		first += n
	}
}

// Prot is the permissions of the page of addr; 0 for one that isn't mapped.
func (m *Machine) Prot(addr uint64) Prot {
	if addr >= m.space {
		return 0
	}
	return Prot(m.perm[addr>>abi.PageShift] & anyAccess)
}
