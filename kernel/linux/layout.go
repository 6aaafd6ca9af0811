package linux

import (
	"fmt"

	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// The guest's address space:
//
//	0 ........... 64 KiB      never mapped
//	image ....... brk         grows up to the heap
//	LowHeapLo ... LowHeapHi   kept for the trusted allocator, which isn't the
//	HeapLo ...... WindowsLo   kernel's (package kernel)
//	WindowsLo ... stack       windows: where mmap puts things
//	              GuestHi     the first thread's stack, a guard page on either side
//
// An mmap takes the next addresses of the asking thread's window, with a page
// left free after it, and addresses are never given twice. So an address is a
// function of the thread's name and its earlier requests, not of other threads.
// Unmapped memory faults for ever, and new pages are zero without being
// cleared.
//
// The first thread and its first 256 children have a window each. A thread that
// needs more, and all threads that others create, get further ones one by one,
// of growing size. Each is a place of a table, chosen by a hash of the thread's
// name. Most threads never map anything, and need none. If two threads reach
// the same place, the guest ends as invalid: neither gets the other's
// addresses. In a chain of creations the places follow each other, so that it
// never meets itself.

const (
	firstWindow = 32 << 30  // of the first thread
	ownWindow   = 384 << 20 // of each of its first children
	ownWindows  = 256
	placesBegin = kernel.WindowsLo + firstWindow + ownWindows*ownWindow
	mostWindows = 16 // of a thread

	// brkEnd is where the break ends at the latest.
	brkEnd = 8 << 30
)

// places are the tables of windows: the first has room for a thread's stack.
var places = []struct{ size, count uint64 }{
	{9 << 20, 32768}, {128 << 20, 512}, {2304 << 20, 16},
}

// span is the address range [lo, hi).
type span struct{ lo, hi uint64 }

func (s span) size() uint64 { return s.hi - s.lo }

// nameHash is of a thread's name, given its parent's and which child it is.
func nameHash(parent *thread, n uint64) uint64 {
	if n == parent.nth { // the same again: the place behind
		return parent.hash + 1
	}
	return mix(parent.hash ^ mix(n))
}

// window is the n-th window (from 0) of a thread. shared: another thread may reach
// the same.
func (t *thread) window(n uint64) (w span, shared bool) {
	if n == 0 {
		switch at := uint64(kernel.WindowsLo); {
		case t.parent == nil:
			return span{at, at + firstWindow}, false
		case t.parent.parent == nil && t.nth <= ownWindows:
			at += firstWindow + (t.nth-1)*ownWindow
			return span{at, at + ownWindow}, false
		}
	} else if t.parent == nil || t.parent.parent == nil && t.nth <= ownWindows {
		n += uint64(len(places)) - 2 // a piece that doesn't fit is large
	}
	lo, hash := uint64(placesBegin), t.hash
	for i, table := range places {
		if n == uint64(i) || i == len(places)-1 {
			if n > uint64(i) {
				hash = mix(hash + n)
			}
			lo += hash % table.count * table.size
			return span{lo, lo + table.size}, true
		}
		lo += table.size * table.count
	}
	panic("linux: no tables of windows")
}

// room is where a thread's next size bytes are, and which of its windows that is;
// no if it has none that is large enough.
func (s *space) room(t *thread, size uint64) (addr, window uint64, ok bool) {
	for used, n := s.log.Get(&t.mapped), s.log.Get(&t.windows); n < mostWindows; used, n = 0, n+1 {
		if w, _ := t.window(n); size < w.size() && used+size+abi.PageSize <= w.size() {
			return w.lo + used, n, true
		}
	}
	return 0, 0, false
}

// mappedEnd is behind the latest address that was given to the thread.
func (s *space) mappedEnd(t *thread) uint64 {
	w, _ := t.window(s.log.Get(&t.windows))
	return w.lo + s.log.Get(&t.mapped)
}

// sharer is the thread that another one's window belongs to already.
func (s *space) sharer(t *thread, n uint64) (trace.TID, bool) {
	w, shared := t.window(n)
	other, taken := s.windows[w.lo]
	return other, shared && taken && other != t.id
}

// space is the state of the address space as a whole.
type space struct {
	doing   *doing
	log     *effect.Log
	img     *elffile.File
	roster  *roster
	files   *files
	windows map[uint64]trace.TID // by first address

	brkLo, brkHi uint64 // bounds of the break
	brk          effect.Word
	low          bool // the trusted allocator has some of the low addresses
	stack        span
	used         effect.Word // bytes accessible
	limit        uint64
	// copiedLo and copiedHi are bounds of all private maps of files (--file) that there ever were.
	copiedLo, copiedHi effect.Word
	keeps              keeps
}

// mostStack is the room that is kept for the first thread's stack.
const mostStack = firstWindow / 8

func (s *space) lay(img *elffile.File, cfg *Config) error {
	var end uint64
	for i := range img.Segments {
		g := &img.Segments[i]
		if g.Addr < effect.WordsEnd {
			return kernel.Errorf(kernel.GapLayout, "a segment at %#x: addresses below %#x are kept unmapped", g.Addr, effect.WordsEnd)
		}
		end = max(end, g.Addr+g.MemSize)
	}
	s.stack.hi = kernel.GuestHi - abi.PageSize
	if cfg.StackLimit > mostStack {
		return fmt.Errorf("a stack of %d bytes doesn't fit: give a smaller one", cfg.StackLimit)
	}
	s.stack.lo = s.stack.hi - cfg.StackLimit
	s.brkLo = abi.PageUp(end) + abi.PageSize
	s.brkHi = brkEnd - abi.PageSize
	if kernel.HasLowHeap(img) {
		s.low, s.brkHi = true, kernel.LowHeapLo-abi.PageSize
	}
	if s.brkLo >= s.brkHi {
		return kernel.Errorf(kernel.GapLayout, "the guest's segments end at %#x, beyond landgo's limit for them of %#x", end, s.brkHi)
	}
	s.brk = effect.At(wordBreak, s.brkLo)
	s.copiedLo, s.copiedHi, s.keeps.n = effect.At(wordFiles, 0), effect.At(wordFiles, 0), effect.At(wordBreak, 0)
	s.limit = cfg.MemoryLimit
	return nil
}
