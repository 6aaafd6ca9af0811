package linux

import (
	"bytes"

	"landgo/emu"
	"landgo/kernel"
)

// Protections and flags of mmap and its kin.
const (
	protMask = 7

	mapShared         = 0x01
	mapPrivate        = 0x02
	mapSharedValidate = 0x03
	mapType           = 0x0f
	mapFixed          = 0x10
	mapAnonymous      = 0x20
	mapFixedNoreplace = 0x100000
	// What changes nothing here: 32BIT, DENYWRITE, EXECUTABLE, LOCKED,
	// NORESERVE, POPULATE, NONBLOCK, STACK.
	mapHarmless = 0x40 | 0x800 | 0x1000 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000

	mremapMaymove = 1
)

// protect changes the permissions of whole pages and keeps account of the
// accessible ones. It reports false when there would be too many.
func (k *Kernel) protect(addr, size uint64, p emu.Prot) bool {
	var before uint64
	k.m.Prots(addr, size, func(r emu.Range, p emu.Prot) bool {
		if p != 0 {
			before += r.Hi - r.Lo
		}
		return true
	})
	used := k.space.used - before
	if p != 0 {
		used += size
	}
	if used > k.space.limit && used > k.space.used {
		return false
	}
	if p != 0 && before < size {
		k.call.fresh = kernel.Pages{Addr: addr, Size: size}
	}
	k.set(&k.space.used, used)
	k.m.Protect(addr, size, p)
	return true
}

// zero clears pages that aren't zero already.
func (k *Kernel) zero(addr, size uint64) {
	for a := addr; a < addr+size; a += pageSize {
		if !k.isZero(a) {
			k.m.Write(a, zeroPage[:])
		}
	}
}

// isZero reports whether a page of the guest holds zeros only.
func (k *Kernel) isZero(page uint64) bool {
	return bytes.Equal(k.m.Bytes(page, pageSize), zeroPage[:])
}

var zeroPage [pageSize]byte

// give hands thread t size fresh, zero bytes of its window.
func (k *Kernel) give(t *thread, size uint64, p emu.Prot) uint64 {
	size = pageUp(size)
	addr, n, ok := t.room(size)
	if !ok {
		return enomem
	}
	if p != 0 { // fresh addresses are inaccessible already
		if k.space.used+size > k.space.limit {
			return enomem
		}
		k.set(&k.space.used, k.space.used+size)
		k.m.Protect(addr, size, p)
		k.call.fresh = kernel.Pages{Addr: addr, Size: size}
	}
	w, shared := t.window(n)
	if shared {
		k.windows[w.lo] = t.id // for good: a name has the same windows in all executions
	}
	k.set(&t.windows, n)
	k.set(&t.mapped, addr-w.lo+size+pageSize)
	if p == 0 {
		k.set(&t.fresh, addr)
	} else {
		k.set(&t.fresh, 0)
	}
	return addr
}

// fits reports whether the thread has room for size more bytes.
func (t *thread) fits(size uint64) bool {
	_, _, ok := t.room(size)
	return ok
}

func guestProt(bits uint64) emu.Prot { return emu.ProtOf(bits&1 != 0, bits&2 != 0, bits&4 != 0) }

// inGuest reports whether [addr, addr+size) lies where maps, the break or the
// image may be.
func (k *Kernel) inGuest(addr, size uint64) bool {
	end := addr + size
	switch {
	case end < addr || addr < nullPages:
		return false
	case addr >= kernel.WindowsLo:
		return end <= k.space.stack.hi
	case k.space.low && addr < kernel.LowHeapHi:
		return end <= kernel.LowHeapLo
	}
	return end <= kernel.HeapLo
}

func planMmap(c *call, p *kernel.Plan) {
	size, prot, flags := pageUp(c.a[1]), c.a[2], c.a[3]
	known := uint64(mapType | mapFixed | mapAnonymous | mapFixedNoreplace | mapHarmless)
	switch {
	case flags&^known != 0:
		invalid(p, hexReason("mmap with flags %#x is not modelled", flags&^known))
	case prot&4 != 0:
		invalid(p, "mmap of executable memory (code made at run time) is not modelled")
	case prot&^protMask != 0:
		invalid(p, hexReason("mmap with protection %#x is not modelled", prot))
	case flags&mapAnonymous == 0 && flags&mapType != mapPrivate && prot&2 != 0:
		invalid(p, "mmap of a file, shared and writable, is not modelled")
	case flags&mapFixed != 0 && c.k.holdsCode(c.a[0], size):
		invalid(p, "mmap over the guest's code is not modelled")
	case flags&(mapFixed|mapFixedNoreplace) == 0:
		c.planRoom(p, size)
	}
}

// holdsCode reports whether code is in [addr, addr+size).
func (k *Kernel) holdsCode(addr, size uint64) bool {
	for _, r := range k.img.Code {
		if addr < r.Hi && r.Lo < saturatingAdd(addr, size) {
			return true
		}
	}
	return false
}

// planRoom tells what no machine has room for (ENOMEM) from what only this
// layout has no room for.
func (c *call) planRoom(p *kernel.Plan, size uint64) {
	_, n, ok := c.t.room(size)
	other, taken := c.k.sharer(c.t, n)
	switch {
	case ok && taken:
		beyond(p, kernel.GapMemory, c.row().name+": thread "+c.k.host.Name(c.t.id)+" would get addresses of thread "+c.k.host.Name(other))
	case !ok && size <= firstWindow:
		beyond(p, kernel.GapMemory, c.row().name+": the addresses kept for thread "+c.k.host.Name(c.t.id)+" are used up")
	}
}

func doMmap(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	addr, size, prot, flags := c.a[0], pageUp(c.a[1]), guestProt(c.a[2]), c.a[3]
	var content []byte
	if flags&mapAnonymous == 0 {
		var errno uint64
		if content, errno = k.files.content(c.int32(4)); errno != 0 {
			return errno
		}
		content = content[min(c.a[5], uint64(len(content))):]
	}
	switch {
	case c.a[1] == 0 || flags&mapType == 0:
		return einval
	case size < c.a[1] || size > k.cfg.Space:
		return enomem
	case flags&(mapFixed|mapFixedNoreplace) != 0:
		if addr&(pageSize-1) != 0 {
			return einval
		}
		if !k.inGuest(addr, size) {
			return enomem
		}
		if flags&mapFixedNoreplace != 0 && !k.unmapped(addr, size) {
			return eexist
		}
		if !k.protect(addr, size, prot) {
			return enomem
		}
		k.zero(addr, size)
	case !c.t.fits(size):
		return enomem
	default:
		if addr = k.give(c.t, size, prot); failed(addr) {
			return addr
		}
	}
	if n := min(uint64(len(content)), size); n > 0 {
		k.m.Write(addr, content[:n])
	}
	o.Mapped = kernel.Pages{Addr: addr, Size: size}
	return addr
}

func (k *Kernel) unmapped(addr, size uint64) bool {
	free := true
	k.m.Prots(addr, size, func(_ emu.Range, p emu.Prot) bool {
		free = free && p == 0
		return free
	})
	return free
}

func doMunmap(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], pageUp(c.a[1])
	if addr&(pageSize-1) != 0 || size == 0 || !c.k.inGuest(addr, size) {
		return einval
	}
	c.k.protect(addr, size, 0)
	o.Unmapped = kernel.Pages{Addr: addr, Size: size}
	return 0
}

func planMprotect(c *call, p *kernel.Plan) {
	switch {
	case c.a[2]&^protMask != 0:
		invalid(p, hexReason("mprotect with protection %#x is not modelled", c.a[2]))
	case c.a[2]&4 != 0 && c.k.can(c.a[0], 1, 0) && c.k.m.Prot(c.a[0])&emu.ProtExec == 0:
		invalid(p, "mprotect that makes memory executable (code made at run time) is not modelled")
	}
}

func doMprotect(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], pageUp(c.a[1])
	switch {
	case addr&(pageSize-1) != 0:
		return einval
	case size == 0:
		return 0
	case !c.k.inGuest(addr, size):
		return enomem
	}
	if !c.k.protect(addr, size, guestProt(c.a[2])) {
		return enomem
	}
	return 0
}

// Advice that changes nothing that a program can tell.
const (
	madvDontneed = 4
	madvFree     = 8
)

func planMadvise(c *call, p *kernel.Plan) {
	switch a := c.a[2]; {
	case a <= 3, a == madvDontneed, a == madvFree, a >= 10 && a <= 17:
	default:
		invalid(p, hexReason("madvise(%#x) is not modelled", a))
	}
}

// doMadvise clears the pages of MADV_DONTNEED. MADV_FREE leaves them, as Linux
// does while there is memory.
func doMadvise(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], pageUp(c.a[1])
	if addr&(pageSize-1) != 0 {
		return einval
	}
	if !c.k.inGuest(addr, size) {
		return enomem
	}
	if c.a[2] == madvDontneed {
		c.k.zero(addr, size)
	}
	return 0
}

// doBrk moves the end of the data segment. Unlike a map's addresses, the
// break's are one sequence for the whole process: only a trusted allocator may
// use it where independent steps are to commute.
func doBrk(c *call, o *kernel.Outcome) uint64 {
	s := &c.k.space
	want := c.a[0]
	if want < s.brkLo || want > s.brkHi {
		return s.brk
	}
	from, to := pageUp(s.brk), pageUp(want)
	switch {
	case to > from:
		if !c.k.protect(from, to-from, emu.ProtRead|emu.ProtWrite) {
			return s.brk
		}
	case to < from:
		c.k.zero(to, from-to)
		c.k.protect(to, from-to, 0)
	}
	c.k.set(&s.brk, want)
	return want
}

func planMremap(c *call, p *kernel.Plan) {
	size := pageUp(c.a[2])
	switch {
	case c.a[3]&^mremapMaymove != 0:
		invalid(p, hexReason("mremap with flags %#x is not modelled", c.a[3]))
	case c.a[3]&mremapMaymove != 0 && size > pageUp(c.a[1]):
		c.planRoom(p, size)
	}
}

// doMremap never grows in place: what lies behind a map is never given out.
func doMremap(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	old, oldSize, size := c.a[0], pageUp(c.a[1]), pageUp(c.a[2])
	switch {
	case old&(pageSize-1) != 0 || size == 0 || oldSize == 0:
		return einval
	case !k.inGuest(old, oldSize) || k.m.Prot(old) == 0:
		return efault
	case size <= oldSize:
		k.protect(old+size, oldSize-size, 0)
		o.Unmapped = kernel.Pages{Addr: old + size, Size: oldSize - size}
		return old
	case c.a[3]&mremapMaymove == 0 || !c.t.fits(size):
		return enomem
	}
	addr := k.give(c.t, size, k.m.Prot(old))
	if failed(addr) {
		return addr
	}
	for off := uint64(0); off < oldSize; off += pageSize {
		if !k.isZero(old + off) {
			k.m.Write(addr+off, k.m.Bytes(old+off, pageSize))
		}
	}
	k.protect(old, oldSize, 0)
	o.Unmapped, o.Mapped = kernel.Pages{Addr: old, Size: oldSize}, kernel.Pages{Addr: addr, Size: size}
	return addr
}

// Writable lists the memory that the guest may write, but what the host gave
// it, in no order.
func (k *Kernel) Writable() (list []emu.Range) {
	add := func(lo, hi uint64) {
		if hi <= lo {
			return
		}
		k.m.Prots(lo, hi-lo, func(r emu.Range, p emu.Prot) bool {
			if p&emu.ProtWrite == 0 {
				return true
			}
			if n := len(list); n > 0 && list[n-1].Hi == r.Lo {
				list[n-1].Hi = r.Hi
			} else {
				list = append(list, r)
			}
			return true
		})
	}
	for i := range k.img.Segments {
		add(k.img.Segments[i].Addr, k.img.Segments[i].Addr+k.img.Segments[i].MemSize)
	}
	add(k.space.brkLo, k.space.brk)
	for _, t := range k.threads {
		if t == nil {
			continue
		}
		for n := range t.windows + 1 {
			w, _ := t.window(n)
			if n == t.windows {
				w.hi = w.lo + t.mapped
			}
			add(w.lo, w.hi)
		}
	}
	add(k.space.stack.lo, k.space.stack.hi)
	return list
}
