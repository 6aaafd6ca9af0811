package effect

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// The guest's memory, and its pages' permissions. A forbidden access reads the
// page as much as an allowed one does. Both are recorded by their bytes, and a
// change of pages is a write of all their bytes.

// Can reports whether the guest may access [addr, addr+size) so; false beyond
// the machine's memory, true for no bytes. The record ends with the first page
// that decides.
func (l *Log) Can(addr, size uint64, p emu.Prot) bool {
	if addr+size < addr || addr+size > l.m.Space() {
		return false
	}
	if size == 0 {
		return true
	}
	end := l.m.ProtEnd(addr, size, p)
	var flags trace.AccessFlags
	if p&emu.ProtWrite != 0 {
		flags = trace.Write // it is about to
		if l.divided.on && size > wordSize && end >= addr+size {
			l.divided.out = append(l.divided.out, kernel.Bytes{Addr: addr, Size: size})
			return true // in steps of their own
		}
	}
	l.Touch(addr, min(end|(abi.PageSize-1), addr+size-1)+1-addr, flags)
	return end >= addr+size
}

// Reach is how many bytes of [addr, addr+size) come before the first that the guest may not
// access so.
func (l *Log) Reach(addr, size uint64, p emu.Prot) uint64 {
	if addr >= l.m.Space() {
		return 0
	}
	size = min(size, l.m.Space()-addr)
	if l.Can(addr, size, p) {
		return size
	}
	size = l.m.ProtEnd(addr, size, p) - addr
	l.Can(addr, size, p) // of a divided call a place to write to
	return size
}

// Read reads memory into p, whatever the permissions, as Machine.Read does.
func (l *Log) Read(addr uint64, p []byte) bool {
	l.Touch(addr, uint64(len(p)), 0)
	ok := l.m.Read(addr, p)
	l.divided.overlay(addr, p)
	return ok
}

// Read8, Read32 and Read64 read a little-endian number.
func (l *Log) Read8(addr uint64) uint8 {
	l.touch(addr, 1, 0)
	return uint8(l.divided.number(addr, 1, uint64(l.m.Read8(addr))))
}

// Read32 is described at Read8.
func (l *Log) Read32(addr uint64) uint32 {
	l.touch(addr, 4, 0)
	return uint32(l.divided.number(addr, 4, uint64(l.m.Read32(addr))))
}

// Read64 is described at Read8.
func (l *Log) Read64(addr uint64) uint64 {
	l.touch(addr, 8, 0)
	return l.divided.number(addr, 8, l.m.Read64(addr))
}

// Write writes memory, whatever the permissions, as Machine.Write does.
func (l *Log) Write(addr uint64, p []byte) bool {
	if l.leaves(addr, p) {
		return true
	}
	l.Touch(addr, uint64(len(p)), trace.Write)
	return l.m.Write(addr, p)
}

// Write32 and Write64 write a little-endian number.
func (l *Log) Write32(addr uint64, v uint32) bool {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], v)
	return l.Write(addr, b[:])
}

// Write64 is described at Write32.
func (l *Log) Write64(addr, v uint64) bool {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return l.Write(addr, b[:])
}

// Names reports whether an address can be read, for a call to which it is a name only:
// nothing is recorded where it can.
func (l *Log) Names(addr uint64) bool {
	return addr < l.m.Space() && l.m.Prot(addr)&emu.ProtRead != 0 || l.Can(addr, 1, emu.ProtRead)
}

// Prot is the permission of the page of addr.
func (l *Log) Prot(addr uint64) emu.Prot {
	l.touch(addr, 1, 0)
	return l.m.Prot(addr)
}

// HasMap reports whether the byte at addr is in a map, which may allow no access.
func (l *Log) HasMap(addr uint64) bool {
	l.touch(addr, 1, 0)
	page := addr &^ (abi.PageSize - 1)
	return l.m.MapEnd(page, abi.PageSize) != page
}

// A call may change the contents or the permissions of pages. To the threads
// that use them it is a write of all their bytes: it has to be tried before and
// after each of their accesses.

// Protect changes pages' permissions.
func (l *Log) Protect(addr, size uint64, p emu.Prot) {
	l.changes(addr, size)
	l.m.Protect(addr, size, p)
}

// TakeAway says that pages belong to no map any more.
func (l *Log) TakeAway(addr, size uint64) {
	l.changes(addr, size)
	l.emptied = append(l.emptied, kernel.Pages{Addr: addr, Size: size})
	l.m.TakeAway(addr, size)
}

// MapEnd is the first address of whole pages that is in no map, or their end. Only the
// page that decides is recorded: what is done to those before it is a change of them.
func (l *Log) MapEnd(addr, size uint64) uint64 {
	end := l.m.MapEnd(addr, size)
	if end < addr+size {
		l.Touch(end, abi.PageSize, trace.Library) // a kernel locks its list of maps
	}
	return end
}

// Alike reports whether whole pages are in maps and allow the same.
func (l *Log) Alike(addr, size uint64) bool {
	l.Touch(addr, size, 0)
	return l.m.Alike(addr, size)
}

// InMap reports whether a page of [addr, addr+size), whole pages, is in a map. It looks
// at each: a later map of another thread depends on this call whichever is first.
func (l *Log) InMap(addr, size uint64) bool {
	l.Touch(addr, size, 0)
	return l.m.HoleEnd(addr, size) < addr+size
}

// Gone reports whether whole pages have all been in a map once and are in none now.
// The record ends with the first page that decides.
func (l *Log) Gone(addr, size uint64) bool {
	if size == 0 || addr+size < addr {
		return size == 0
	}
	end := l.m.GoneEnd(addr, size)
	l.Touch(addr, min(end+abi.PageSize-addr, size), trace.Library) // a kernel locks its list of maps
	return end-addr == size
}

// Clear makes pages zero.
func (l *Log) Clear(addr, size uint64) {
	l.changes(addr, size)
	l.emptied = append(l.emptied, kernel.Pages{Addr: addr, Size: size})
	l.m.Clear(addr, size)
}

// Move copies pages to fresh ones, and takes the old ones away.
func (l *Log) Move(to, from, size uint64) {
	l.changes(from, size)
	l.m.CopyPages(to, from, size)
	l.m.TakeAway(from, size)
}

func (l *Log) changes(addr, size uint64) {
	if n := len(l.pages); n > 0 && l.pages[n-1].Addr <= addr && addr+size <= l.pages[n-1].Addr+l.pages[n-1].Size {
		return
	}
	l.pages = append(l.pages, kernel.Pages{Addr: addr, Size: size})
}

// AreNew says so of the pages changed last, see kernel.Pages.
func (l *Log) AreNew() { l.pages[len(l.pages)-1].New = true }

// Fresh pages are at addresses that no thread can know yet: accesses to them
// before the call returns one aren't recorded.

// ProtectFresh sets fresh pages' permissions.
func (l *Log) ProtectFresh(addr, size uint64, p emu.Prot) { l.m.Protect(addr, size, p) }

// FillFresh writes to fresh pages.
func (l *Log) FillFresh(addr uint64, p []byte) { l.m.Write(addr, p) }

// Overlay gives whole pages these contents, and zeros behind them.
func (l *Log) Overlay(addr, size uint64, p []byte) {
	l.changes(addr, size)
	l.m.Overlay(addr, size, p)
}

// Used is the number of bytes of [addr, addr+size), whole pages, that are accessible
// in some way. It is for a sum over all pages that calls change without reading it.
func (l *Log) Used(addr, size uint64) uint64 { return l.m.Mapped(addr, size) }

// OnlyOf reports whether no other thread than t was ever seen to touch memory: then
// a change of it needn't be recorded that only t could tell.
func (l *Log) OnlyOf(t trace.TID, addr, size uint64) bool {
	return !l.m.TouchedByOthers(int32(t), addr, size)
}

// Quietly changes pages without a record, see OnlyOf.
func (l *Log) Quietly(f func()) {
	n := len(l.pages)
	f()
	l.pages = l.pages[:n]
}
