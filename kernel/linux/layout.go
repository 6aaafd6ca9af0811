package linux

import (
	"fmt"

	"landgo/image"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// The guest's address space:
//
//	0 ........... 64 KiB   never mapped
//	image ....... brk      grows up to the windows
//	Space/16 .... stack    windows: where mmap puts things
//	              Space/2  the first thread's stack, a guard page on either side
//	Space/2 ..... Space    kept for the trusted allocator, which isn't the kernel's
//
// An mmap takes the next addresses of the asking thread's window, with a page
// left free after it, and addresses are never given twice. So an address is a
// function of (the thread's name, what it asked for before), whatever the
// others did; what is unmapped faults for ever; and new pages are zero without
// anybody clearing them.
//
// A window has room for the thread's own maps in its first half. The second
// half holds its children's windows: the first 8 share its first half, the next
// 256 the rest. Children beyond that, and those for which hardly anything is
// left, get none: an mmap of theirs is not modelled, by name.

const (
	pageSize  = 4096
	nullPages = 64 << 10

	largeWindows, smallWindows = 8, 256
	leastWindow                = 64 << 10
)

// span is the address range [lo, hi).
type span struct{ lo, hi uint64 }

func (s span) size() uint64 { return s.hi - s.lo }

// child is the window of the n-th child (from 1) of the thread that owns s.
func (s span) child(n uint64) span {
	large := span{s.lo + pageDown(s.size()/2), s.lo + pageDown(s.size()/4*3)}
	small := span{large.hi, s.hi}
	switch {
	case n <= largeWindows:
		return large.part(n-1, largeWindows)
	case n <= largeWindows+smallWindows:
		return small.part(n-1-largeWindows, smallWindows)
	}
	return span{}
}

func (s span) part(i, of uint64) span {
	size := pageDown(s.size() / of)
	if size < leastWindow {
		return span{}
	}
	return span{s.lo + i*size, s.lo + (i+1)*size}
}

// own is the part of a window for the owner's maps.
func (s span) own() span { return span{s.lo, s.lo + pageDown(s.size()/2)} }

// space is the state of the address space as a whole.
type space struct {
	brkLo, brkHi uint64 // bounds of the break
	brk          effect.Word
	windows      span
	stack        span
	used         effect.Word // bytes accessible
	limit        uint64
}

func (s *space) lay(img *image.Image, cfg *Config) error {
	var end uint64
	for i := range img.Segments {
		g := &img.Segments[i]
		if g.Addr < nullPages {
			return kernel.Errorf(kernel.GapLayout, "a segment at %#x: addresses below %#x are kept unmapped", g.Addr, nullPages)
		}
		end = max(end, g.Addr+g.MemSize)
	}
	top := cfg.Space / 2
	s.windows.lo = pageDown(top / 8)
	s.stack.hi = top - pageSize
	if cfg.StackLimit > top/8 {
		return fmt.Errorf("a stack of %d bytes doesn't fit: give a smaller one", cfg.StackLimit)
	}
	s.stack.lo = s.stack.hi - cfg.StackLimit
	s.windows.hi = s.stack.lo - pageSize
	s.brkLo = pageUp(end) + pageSize
	s.brkHi = s.windows.lo - pageSize
	if s.brkLo >= s.brkHi {
		return kernel.Errorf(kernel.GapLayout, "the guest's segments end at %#x, beyond landgo's limit for them of %#x", end, s.brkHi)
	}
	s.brk = effect.At(wordBreak, s.brkLo)
	s.limit = cfg.MemoryLimit
	return nil
}

func pageDown(a uint64) uint64 { return a &^ (pageSize - 1) }
func pageUp(a uint64) uint64   { return pageDown(a + pageSize - 1) }
