package linux

import "landgo/kernel"

// A call that changes what pages hold or allow is, to the threads that use
// them, a write of all their bytes: it has to be tried before and after each
// of their accesses.

// changes records the pages.
func (c *call) changes(addr, size uint64) {
	if size = pageUp(size); addr&(pageSize-1) == 0 && c.k.inGuest(addr, size) { // or else the call fails
		c.pages = kernel.Pages{Addr: addr, Size: size}
	}
}

// memMmap: fresh addresses are known to nobody, so that only a map at a given
// place can meet another thread.
func memMmap(c *call) {
	if c.a[3]&mapFixed != 0 {
		c.changes(c.a[0], c.a[1])
	}
}

// memMunmap leaves out the stack of a thread that has ended: it is what a join
// takes away, and comes after all that the thread did. (Deviation: that a third
// thread still uses that stack is in order with nothing.)
func memMunmap(c *call) {
	for _, t := range c.k.threads {
		if t != nil && t.alive == 0 && t.stack != 0 && t.stack-c.a[0]-1 < pageUp(c.a[1]) {
			return
		}
	}
	c.changes(c.a[0], c.a[1])
}

// memMprotect leaves out the thread's latest map where it is made accessible
// for the first time, as for a new thread's stack: it counts as part of the
// mmap. (Deviation: a program that tells others the address between the two
// calls isn't run with an access there before the second.)
func memMprotect(c *call) {
	if c.t.fresh != 0 && c.a[0]-c.t.fresh < c.t.mappedEnd()-c.t.fresh {
		return
	}
	c.changes(c.a[0], c.a[1])
}

func memMremap(c *call) {
	old, size := pageUp(c.a[1]), pageUp(c.a[2])
	switch {
	case size > old && c.a[3]&mremapMaymove != 0:
		c.changes(c.a[0], old)
	case size < old:
		c.changes(c.a[0]+size, old-size)
	}
}

// memMadvise leaves out what lies just below the caller's stack pointer: glibc
// gives it back at a thread's end, and going through it took longer than the
// rest of a small execution. (Deviation: that another thread still reads there
// is in order with nothing.)
func memMadvise(c *call) {
	end, sp := c.a[0]+pageUp(c.a[1]), c.regs.RSP
	if c.a[2] == madvDontneed && (end > sp || sp-end > 1<<16) {
		c.changes(c.a[0], c.a[1])
	}
}

func memBrk(c *call) {
	s := &c.k.space
	if to, from := pageUp(c.a[0]), pageUp(s.brk); c.a[0] >= s.brkLo && to < from {
		c.changes(to, from-to)
	}
}
