package linux

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/kernel"
)

// Calls that change memory that is mapped already: brk, mremap, madvise.

// Advice that changes nothing that a program can tell.
const (
	madvDontneed = 4
	madvFree     = 8
)

func planMadvise(c *call, p *kernel.Plan) {
	switch a := c.a[2]; {
	case a == madvDontneed && c.k.space.ofFiles(c.a[0], abi.PageUp(c.a[1])):
		invalid(p, "madvise(MADV_DONTNEED) of the program's own files is not modelled: their contents would come back")
	case a == madvDontneed && c.mayBeCopied(c.a[0], abi.PageUp(c.a[1])):
		invalid(p, "madvise(MADV_DONTNEED) where a file may be mapped is not modelled: its contents would come back")
	case a <= 3, a == madvDontneed, a == madvFree, a >= 10 && a <= 17, unknownAdvice(a):
	default:
		invalid(p, hexReason("madvise(%#x) is not modelled", a))
	}
}

// ofFiles reports whether a part of a range is where the program, or a library of its, is loaded.
func (s *space) ofFiles(addr, size uint64) bool {
	for _, f := range append([]*elffile.File{s.img}, s.img.Parts...) {
		for i := range f.Segments {
			if g := &f.Segments[i]; addr < g.Addr+g.MemSize && g.Addr < addr+size {
				return true
			}
		}
	}
	return false
}

// mayBeCopied reports whether a range lies between private maps of files. A thread's stack is
// none.
func (c *call) mayBeCopied(addr, size uint64) bool {
	return !c.deadStack(addr, size) && addr < c.get(&c.k.space.copiedHi) && c.get(&c.k.space.copiedLo) < addr+size
}

// deadStack reports whether a range is just below the caller's stack pointer.
func (c *call) deadStack(addr, size uint64) bool {
	end, sp := addr+size, c.regs.RSP
	return end <= sp && sp-end <= 1<<16
}

// unknownAdvice reports whether Linux 6 knows no such advice: its last are MADV_COLLAPSE, the two
// for broken memory, and those for guard pages.
func unknownAdvice(a uint64) bool { return a != 100 && a != 101 && (a > 103 || a > 25 && a < 100) }

// doMadvise clears the pages of MADV_DONTNEED. MADV_FREE leaves them, as Linux
// does while there is memory.
func doMadvise(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], abi.PageUp(c.a[1])
	if addr&(abi.PageSize-1) != 0 || size < c.a[1] || unknownAdvice(c.a[2]) {
		return einval
	}
	if size == 0 {
		return 0
	}
	if !c.k.space.inGuest(addr, size) && !c.k.space.inHeap(addr, size) {
		return enomem
	}
	if c.a[2] != madvDontneed {
		if !c.k.space.isMapped(addr, size) {
			return enomem
		}
		return 0
	}
	// Just below the stack pointer glibc gives it back at a thread's end. To go
	// through that took longer than the rest of a small execution. (Deviation: that
	// another thread begins to use it later is in order with nothing.)
	if c.deadStack(addr, size) && c.k.log.OnlyOf(c.t.id, addr, size) {
		c.k.log.Quietly(func() { c.k.log.Clear(addr, size) })
		return 0
	}
	c.k.space.forget(addr, size) // of pages that are in no map, nothing can be seen
	if c.k.log.MapEnd(addr, size) < addr+size {
		return enomem
	}
	return 0
}

// doBrk moves the end of the data segment. Unlike a map's addresses, the
// break's are one sequence for the whole process: only a trusted allocator may
// use it where independent steps are to commute.
func doBrk(c *call, o *kernel.Outcome) uint64 {
	s := &c.k.space
	brk, want := c.get(&s.brk), c.a[0]
	if want < s.brkLo || want > s.brkHi {
		return brk
	}
	from, to := abi.PageUp(brk), abi.PageUp(want)
	switch {
	case to > from:
		if !c.k.space.protect(from, to-from, emu.ProtRead|emu.ProtWrite) {
			return brk
		}
	case to < from:
		c.k.log.Clear(to, from-to)
		c.k.space.unmap(to, from-to)
	}
	c.set(&s.brk, want)
	return want
}

func planMremap(c *call, p *kernel.Plan) {
	if c.k.space.mappedFile(c.a[0], abi.PageUp(c.a[1])) != nil {
		invalid(p, "mremap of a shared file is not modelled")
		return
	}
	if c.planHeap(p, "mremap", c.a[0], abi.PageUp(c.a[1])) {
		return
	}
	size := abi.PageUp(c.a[2])
	switch shared, _ := c.k.space.keeps.at(&c.k.log, c.a[0], c.a[0]+abi.PageSize); {
	case shared && c.a[1] == 0:
		invalid(p, "mremap of 0 bytes of shared memory, which maps it twice, is not modelled")
	case c.a[3]&^mremapMaymove != 0:
		invalid(p, hexReason("mremap with flags %#x is not modelled", c.a[3]))
	case c.a[3]&mremapMaymove != 0 && size > abi.PageUp(c.a[1]) && !c.growsInPlace():
		c.planRoom(p, size)
		// Linux has each processor of the process forget where the pages were. What is in the store
		// buffers of these was given its place before, and reaches it.
		p.Fences = true
	}
}

// growsInPlace reports whether a mremap that makes a map larger needn't move
// it: the guest has unmapped all pages that it grows over. Other memory behind
// a map is never given out, as if something else were there.
func (c *call) growsInPlace() bool {
	oldSize := abi.PageUp(c.a[1])
	return c.k.log.Gone(c.a[0]+oldSize, abi.PageUp(c.a[2])-oldSize)
}

// doMremap grows a map where it is if it can, as Linux does whatever the flags.
func doMremap(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	old, oldSize, size := c.a[0], abi.PageUp(c.a[1]), abi.PageUp(c.a[2])
	shared, _ := k.space.keeps.at(&k.log, old, old+abi.PageSize)
	switch {
	case old&(abi.PageSize-1) != 0 || size == 0 || oldSize == 0:
		return einval
	case !k.space.inGuest(old, oldSize) || k.log.MapEnd(old, abi.PageSize) == old || size > oldSize && !k.log.Alike(old, oldSize):
		return efault
	case size <= oldSize:
		k.space.unmap(old+size, oldSize-size)
		o.Unmapped = kernel.Pages{Addr: old + size, Size: oldSize - size}
		return old
	case c.growsInPlace():
		if !k.space.protect(old+oldSize, size-oldSize, k.log.Prot(old)) {
			return enomem
		}
		k.log.Clear(old+oldSize, size-oldSize)
		k.space.keeps.note(&k.log, old, size, shared)
		o.Mapped, o.Kept = kernel.Pages{Addr: old, Size: size}, oldSize
		return old
	case c.a[3]&mremapMaymove == 0 || !c.fits(size):
		return enomem
	}
	addr := k.space.give(c.t, size, k.log.Prot(old))
	if failed(addr) {
		return addr
	}
	k.space.keeps.note(&k.log, addr, size, shared)
	before := k.log.Used(old, oldSize)
	k.log.Move(addr, old, oldSize)
	k.space.uses(0, before)
	o.Unmapped, o.Mapped, o.Moved = kernel.Pages{Addr: old, Size: oldSize}, kernel.Pages{Addr: addr, Size: size}, true
	return addr
}
