package linux

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Protections and flags of mmap and its kin.
const (
	protMask = 7
	// PROT_SEM, PROT_GROWSDOWN and PROT_GROWSUP beside them.
	protKnown = protMask | 8 | 1<<24 | 1<<25

	mapShared         = 0x01
	mapPrivate        = 0x02
	mapSharedValidate = 0x03
	mapType           = 0x0f
	mapFixed          = 0x10
	mapAnonymous      = 0x20
	mapFixedNoreplace = 0x100000
	// Flags without effect here: 32BIT, DENYWRITE, EXECUTABLE, LOCKED,
	// NORESERVE, POPULATE, NONBLOCK, STACK.
	mapHarmless = 0x40 | 0x800 | 0x1000 | 0x2000 | 0x4000 | 0x8000 | 0x10000 | 0x20000

	mremapMaymove = 1
)

// protect changes the permissions of whole pages, which are in a map from then on, and
// keeps account of the accessible ones. It reports false when there would be too many.
func (s *space) protect(addr, size uint64, p emu.Prot) bool {
	if s.inHeap(addr, size) { // the allocator's account, not the kernel's
		s.log.Protect(addr, size, mapped(p))
		return true
	}
	before, grows := s.log.Used(addr, size), uint64(0)
	if p != 0 {
		grows = size
	}
	if !s.uses(grows, before) {
		return false
	}
	if p != 0 && before < size {
		s.doing.call.fresh = kernel.Pages{Addr: addr, Size: size}
	}
	s.log.Protect(addr, size, mapped(p))
	return true
}

// mapped is a page's permissions as those of one in a map.
func mapped(p emu.Prot) emu.Prot {
	if p == 0 {
		return emu.NoAccess
	}
	return p
}

// unmap takes whole pages away.
func (s *space) unmap(addr, size uint64) {
	s.uses(0, s.log.Used(addr, size))
	s.log.TakeAway(addr, size)
}

// uses keeps account of memory that becomes accessible and that was. The sum is the
// same in every order of calls: only one that there is too little for reads it.
func (s *space) uses(more, less uint64) bool {
	used := s.used.Peek() - less + more
	if used > s.limit && more > less {
		s.log.Get(&s.used)
		return false
	}
	s.log.Set(&s.used, used)
	return true
}

// give hands thread t size fresh, zero bytes of its window.
func (s *space) give(t *thread, size uint64, p emu.Prot) uint64 {
	size = abi.PageUp(size)
	addr, n, ok := s.room(t, size)
	if !ok {
		return enomem
	}
	if p != 0 && !s.uses(size, 0) {
		return enomem
	}
	s.log.ProtectFresh(addr, size, mapped(p))
	if p != 0 {
		s.doing.call.fresh = kernel.Pages{Addr: addr, Size: size}
	}
	w, shared := t.window(n)
	if shared {
		s.windows[w.lo] = t.id // for good: a name has the same windows in all executions
	}
	s.log.Set(&t.windows, n)
	s.log.Set(&t.mapped, addr-w.lo+size+abi.PageSize)
	if p == 0 {
		s.log.Set(&t.fresh, addr)
	} else {
		s.log.Set(&t.fresh, 0)
	}
	return addr
}

// fits reports whether the thread has room for size more bytes.
func (c *call) fits(size uint64) bool {
	_, _, ok := c.k.space.room(c.t, size)
	return ok
}

// guestProt: memory may be executable that holds no code of the guest's file. Should a
// thread run what is there, the machine says that this isn't modelled.
func guestProt(bits uint64) emu.Prot { return emu.ProtOf(bits&1 != 0, bits&2 != 0, bits&4 != 0) }

// inGuest reports whether [addr, addr+size) lies where maps, the break or the
// image may be.
func (s *space) inGuest(addr, size uint64) bool {
	end := addr + size
	switch {
	case end < addr || addr < effect.WordsEnd:
		return false
	case addr >= kernel.WindowsLo:
		return end <= s.stack.hi
	case s.low && addr < kernel.LowHeapHi:
		return end <= kernel.LowHeapLo
	}
	return end <= kernel.HeapLo
}

// isOutside reports whether [addr, addr+size) lies where a program may have maps on Linux, but no
// guest has: in the lowest pages, or above the stack.
func (s *space) isOutside(addr, size uint64) bool {
	end := addr + size
	return addr < end && end <= userEnd && (end <= effect.WordsEnd || addr >= s.stack.hi)
}

// userEnd is the end of all addresses that Linux gives a program.
const userEnd = 1<<47 - abi.PageSize

// inHeap reports whether [addr, addr+size) lies where the trusted allocator has its
// blocks. A program may change what their pages allow, or give back what they hold.
func (s *space) inHeap(addr, size uint64) bool {
	within := func(lo, hi uint64) bool { return lo <= addr && addr < hi && size <= hi-addr }
	return within(kernel.HeapLo, kernel.HeapHi) || s.low && within(kernel.LowHeapLo, kernel.LowHeapHi)
}

// meetsHeap reports whether some of [addr, addr+size) lies there.
func (s *space) meetsHeap(addr, size uint64) bool {
	meets := func(lo, hi uint64) bool { return addr < hi && (addr >= lo || size > lo-addr) }
	return meets(kernel.HeapLo, kernel.HeapHi) || s.low && meets(kernel.LowHeapLo, kernel.LowHeapHi)
}

// planHeap refuses a call that takes pages away which the trusted allocator may have given out. On
// Linux they go, and the next access to the block faults.
func (c *call) planHeap(p *kernel.Plan, name string, addr, size uint64) bool {
	if addr&(abi.PageSize-1) != 0 || size == 0 || !c.k.space.meetsHeap(addr, size) {
		return false
	}
	invalid(p, name+" in the trusted allocator's space is not modelled: with --malloc native the guest's own allocator runs")
	return true
}

// isMapped reports whether all of [addr, addr+size), whole pages, is in maps. The caller
// changes nothing of them.
func (s *space) isMapped(addr, size uint64) bool {
	if !s.inGuest(addr, size) && !s.inHeap(addr, size) {
		return false
	}
	s.log.Touch(addr, size, 0)
	return s.log.MapEnd(addr, size) == addr+size
}

func planMmap(c *call, p *kernel.Plan) {
	size, prot, flags := abi.PageUp(c.a[1]), c.a[2], c.a[3]
	known := uint64(mapType | mapFixed | mapAnonymous | mapFixedNoreplace | mapHarmless)
	switch {
	case flags&^known != 0:
		invalid(p, hexReason("mmap with flags %#x is not modelled", flags&^known))
	case prot&^protMask != 0:
		invalid(p, hexReason("mmap with protection %#x is not modelled", prot))
	case flags&mapAnonymous == 0 && flags&mapType != mapPrivate && c.k.files.inode(c.k.files.use(c.int32(4))) != nil:
		planFiles(c, p)
	case flags&mapAnonymous == 0 && flags&mapType != mapPrivate && prot&2 != 0:
		invalid(p, "mmap of a file, shared and writable, is not modelled: "+writesFiles)
	case c.part(size) != nil:
	case flags&mapFixed != 0 && c.planHeap(p, "mmap in place", c.a[0], size):
	case flags&mapFixed != 0 && c.k.space.holdsCode(c.a[0], size):
		invalid(p, "mmap over the guest's code is not modelled")
	case flags&(mapFixed|mapFixedNoreplace) == 0:
		c.planRoom(p, size)
	}
}

// takesHint reports whether a map comes where a call asks for it without MAP_FIXED, and rounds that
// place: Linux takes it if nothing is mapped there. Beyond the modelled space, and where later maps of
// threads come, another place is given.
func (s *space) takesHint(t *thread, addr *uint64, size uint64) bool {
	at := *addr &^ (abi.PageSize - 1)
	if at == 0 || !s.inGuest(at, size) || at >= kernel.WindowsLo && !s.wasGiven(t, at, size) || s.log.InMap(at, size) {
		return false
	}
	*addr = at
	return true
}

// wasGiven reports whether pages are some that the thread once got from its window.
func (s *space) wasGiven(t *thread, addr, size uint64) bool {
	w, _ := t.window(s.log.Get(&t.windows))
	return w.lo <= addr && addr+size <= s.mappedEnd(t)
}

// holdsCode reports whether code is in [addr, addr+size).
func (s *space) holdsCode(addr, size uint64) bool {
	for _, r := range s.img.Code {
		if addr < r.Hi && r.Lo < saturatingAdd(addr, size) {
			return true
		}
	}
	return false
}

// planRoom distinguishes sizes that no machine has room for (ENOMEM) from those
// that only this layout has no room for.
func (c *call) planRoom(p *kernel.Plan, size uint64) {
	_, n, ok := c.k.space.room(c.t, size)
	other, taken := c.k.space.sharer(c.t, n)
	switch {
	case ok && taken:
		beyond(p, kernel.GapMemory, c.row().name+": thread "+c.k.host.Name(c.t.id)+" would get addresses of thread "+c.k.host.Name(other))
	case !ok && size <= firstWindow:
		beyond(p, kernel.GapMemory, c.row().name+": the addresses kept for thread "+c.k.host.Name(c.t.id)+" are used up")
	}
}

func doMmap(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	addr, size, prot, flags := c.a[0], abi.PageUp(c.a[1]), guestProt(c.a[2]), c.a[3]
	var content []byte
	if use := c.k.files.use(c.int32(4)); flags&mapAnonymous == 0 && flags&mapType != mapPrivate && c.k.files.inode(use) != nil {
		c.op(onResource(resourceFiles, 1))
		return c.mapShared(o, c.k.files.inode(use), c.get(&k.files.descriptions[use-useFile].status), size, c.a[2])
	}
	if flags&mapAnonymous == 0 {
		var errno uint64
		if content, errno = c.content(c.int32(4)); errno != 0 {
			return errno
		}
		content = content[min(c.a[5], uint64(len(content))):]
	}
	part, shared := c.part(size), flags&mapAnonymous != 0 && flags&mapType != mapPrivate
	switch {
	case c.a[1] == 0 || flags&mapType == 0 || flags&mapType == mapSharedValidate && flags&mapAnonymous != 0:
		return einval
	case size < c.a[1] || size > k.cfg.Space:
		return enomem
	case part != nil:
		if addr = c.partAddr(part); !k.space.protect(addr, size, prot) {
			return enomem
		}
		k.space.fillPart(addr, size, content)
		o.Mapped = kernel.Pages{Addr: addr, Size: size}
		return addr
	case flags&(mapFixed|mapFixedNoreplace) != 0, k.space.takesHint(c.t, &addr, size):
		if addr&(abi.PageSize-1) != 0 {
			return einval
		}
		if addr < effect.WordsEnd { // vm.mmap_min_addr of most
			return eperm
		}
		if !k.space.inGuest(addr, size) {
			return enomem
		}
		if flags&mapFixedNoreplace != 0 && k.log.InMap(addr, size) {
			return eexist
		}
		if !k.space.protect(addr, size, prot) {
			return enomem
		}
		k.log.Clear(addr, size)
		k.space.keeps.note(&k.log, addr, size, shared)
	case !c.fits(size):
		return enomem
	default:
		if addr = k.space.give(c.t, size, prot); failed(addr) {
			return addr
		}
		if shared {
			k.space.keeps.note(&k.log, addr, size, shared)
		}
	}
	if n := min(uint64(len(content)), size); n > 0 {
		k.log.FillFresh(addr, content[:n]) // or to pages that Clear has on record
		if lo := c.get(&k.space.copiedLo); lo == 0 || addr < lo {
			c.set(&k.space.copiedLo, addr)
		}
		c.set(&k.space.copiedHi, max(c.get(&k.space.copiedHi), addr+size))
	}
	o.Mapped = kernel.Pages{Addr: addr, Size: size}
	return addr
}

func planMunmap(c *call, p *kernel.Plan) {
	c.planHeap(p, "munmap", c.a[0], abi.PageUp(c.a[1]))
}

func doMunmap(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], abi.PageUp(c.a[1])
	if addr&(abi.PageSize-1) != 0 || size == 0 {
		return einval
	}
	if c.k.space.isOutside(addr, size) {
		return 0 // there was no map
	}
	if !c.k.space.inGuest(addr, size) {
		return einval
	}
	if f := c.k.space.mappedFile(addr, size); f != nil && c.unmapFile(o, f, addr, size) {
		return 0
	}
	if c.k.space.isDeadStack(addr, size) {
		c.k.log.Quietly(func() { c.k.space.unmap(addr, size) })
	} else {
		c.k.space.unmap(addr, size)
	}
	o.Unmapped = kernel.Pages{Addr: addr, Size: size}
	return 0
}

// isDeadStack reports whether pages hold the stack of an ended thread, which no
// other thread has ever touched. A join removes them, after all of the thread's
// accesses. The memory above the stack is the C library's.
func (s *space) isDeadStack(addr, size uint64) bool {
	for _, t := range s.roster.threads {
		if t == nil || t.alive.Peek() != 0 {
			continue
		}
		if top := t.stack.Peek(); top != 0 && top-addr-1 < size {
			return s.log.OnlyOf(t.id, addr, top-addr)
		}
	}
	return false
}

func planMprotect(c *call, p *kernel.Plan) {
	if c.a[2]&^protMask != 0 && c.a[2]&^protKnown == 0 {
		invalid(p, hexReason("mprotect with protection %#x is not modelled", c.a[2]))
	}
}

// doMprotect changes the pages up to the first that is in no map, as Linux does.
func doMprotect(c *call, o *kernel.Outcome) uint64 {
	addr, size := c.a[0], abi.PageUp(c.a[1])
	switch {
	case addr&(abi.PageSize-1) != 0:
		return einval
	case size == 0:
		return 0
	case c.a[2]&^protKnown != 0:
		return einval
	case !c.k.space.inGuest(addr, size) && !c.k.space.inHeap(addr, size):
		return enomem
	}
	end := c.k.log.MapEnd(addr, size)
	if end == addr || !c.k.space.protect(addr, end-addr, guestProt(c.a[2])) {
		return enomem
	}
	if end < addr+size {
		return enomem
	}
	if fresh := c.get(&c.t.fresh); fresh != 0 && addr >= fresh && addr+size <= c.k.space.mappedEnd(c.t) {
		c.k.log.AreNew()
	}
	return 0
}

// Writable lists the memory that the guest may write, except the host's, in no
// order.
func (k *Kernel) Writable() (list []emu.Range) {
	m := k.host.Machine
	add := func(lo, hi uint64) {
		if hi <= lo {
			return
		}
		m.Prots(lo, hi-lo, func(r emu.Range, p emu.Prot) bool {
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
	add(k.space.brkLo, k.space.brk.Peek())
	for _, t := range k.roster.threads {
		if t == nil {
			continue
		}
		windows := t.windows.Peek()
		for n := range windows + 1 {
			w, _ := t.window(n)
			if n == windows {
				w.hi = w.lo + t.mapped.Peek()
			}
			add(w.lo, w.hi)
		}
	}
	add(k.space.stack.lo, k.space.stack.hi)
	return list
}
