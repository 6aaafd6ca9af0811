package pebbles

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// region is a mapping of new_pages.
type region struct {
	base, size uint64
	live       uint64 // 0 once it has been removed; lent: landgo's
}

// lent is the state of a region that no call mapped (carried.go).
const lent = 2

// maxRegion bounds a region's size: it is a C int.
const maxRegion = 1<<31 - abi.PageSize

// pagesOp: the mapping of a range of pages changes.
func pagesOp(base, size uint64) trace.Op {
	return trace.Op{Kind: trace.OpSyscall, Obj: pageWord(base), Size: uint32(size / abi.PageSize * wordSize), Arg: 1}
}

// newPages checks the arguments of new_pages(base, length), which needn't be
// mappable.
func (c *call) newPages() (base, size uint64, ok bool) {
	base, n := c.a[0], c.int(1)
	ok = base%abi.PageSize == 0 && n > 0 && n <= maxRegion && n%abi.PageSize == 0 &&
		base >= userStart && base <= mainTop && base+uint64(n) <= mainTop
	return base, uint64(n), ok
}

func planNewPages(c *call, p *kernel.Plan) {
	if base, size, ok := c.newPages(); ok && size <= c.k.cfg.MemoryLimit {
		c.event(p, pagesOp(base, size))
	}
}

// doNewPages maps zeroed pages where the caller wants them. The pages don't
// count as touched by the caller: they belong to the first thread that uses them.
func doNewPages(c *call, o *kernel.Outcome) int64 {
	k := c.k
	base, size, ok := c.newPages()
	if !ok {
		return badArgument
	}
	if k.lentIn(base, size) {
		o.Invalid = "new_pages asks for pages that landgo has put the stack of a thread in, as --trust threads has it"
		o.Gap = kernel.GapTrust
		return noMemory
	}
	if size > k.cfg.MemoryLimit {
		return noMemory
	}
	if size > k.cfg.MemoryLimit-k.used {
		// The order decides which thread gets the last pages; it isn't explored.
		if k.live > 1 {
			o.Invalid, o.Gap = fmt.Sprintf("the guest's threads ask for more than %d bytes of memory", k.cfg.MemoryLimit), kernel.GapMemory
		}
		return noMemory
	}
	for page := base; page < base+size; page += abi.PageSize {
		if k.m.Prot(page) != 0 {
			return noMemory
		}
	}
	k.clear(base, size)
	k.m.Protect(base, size, emu.ProtRead|emu.ProtWrite)
	k.set(&k.used, k.used+size)
	k.addRegion(base, size)
	o.Fresh = kernel.Pages{Addr: base, Size: size}
	o.Mapped = o.Fresh
	return 0
}

// clear zeroes pages of a range that had been mapped before; all others are
// zero.
func (k *Kernel) clear(base, size uint64) {
	var page, zero [abi.PageSize]byte
	if !k.someGone {
		return
	}
	for _, r := range k.regions[:k.mapped] {
		if r.live != 0 {
			continue
		}
		for a := max(base, r.base); a < min(base+size, r.base+r.size); a += abi.PageSize {
			if k.mem.Read(a, page[:]) && page != zero {
				k.mem.Write(a, zero[:])
			}
		}
	}
}

// addRegion appends to the list, in the place of one that was rewound if there
// is any.
func (k *Kernel) addRegion(base, size uint64) {
	if int(k.mapped) == len(k.regions) {
		k.regions = append(k.regions, &region{})
	}
	r := k.regions[k.mapped]
	if k.hull.Hi == 0 {
		k.hull.Lo = base
	}
	k.hull = emu.Range{Lo: min(k.hull.Lo, base), Hi: max(k.hull.Hi, base+size)}
	k.set(&r.base, base)
	k.set(&r.size, size)
	k.set(&r.live, 1)
	k.set(&k.mapped, k.mapped+1)
}

// regionAt finds the mapped region with a base.
func (k *Kernel) regionAt(base uint64) *region {
	for _, r := range k.regions[:k.mapped] {
		if r.live == 1 && r.base == base {
			return r
		}
	}
	return nil
}

// planRemovePages: a removal of nothing depends on a mapping of at least one
// page there.
func planRemovePages(c *call, p *kernel.Plan) {
	if c.a[0]%abi.PageSize == 0 {
		c.event(p, c.k.removal(c.a[0]))
	}
}

func (k *Kernel) removal(base uint64) trace.Op {
	if r := k.regionAt(base); r != nil {
		return pagesOp(base, r.size)
	}
	return pagesOp(base, abi.PageSize)
}

// doRemovePages takes a whole region away. It counts as a write to all its
// bytes that a thread has used, in this execution or another. So its users, a
// thread on its stack say, depend on it.
func doRemovePages(c *call, o *kernel.Outcome) int64 {
	k := c.k
	base := c.a[0]
	if base%abi.PageSize != 0 {
		return badArgument
	}
	r := k.regionAt(base)
	if r == nil {
		return badArgument
	}
	c.touchUsed(base, r.size)
	o.Unmapped = kernel.Pages{Addr: base, Size: r.size}
	k.m.Protect(base, r.size, 0)
	k.set(&k.used, k.used-r.size)
	k.set(&r.live, 0)
	k.someGone = true
	return 0
}

// touchUsed records writes to the parts of a region that threads have touched.
// A later access to memory that no thread has touched yet is then a fault.
func (c *call) touchUsed(base, size uint64) {
	from := base
	for a := base; ; a += wordSize {
		if a < base+size && c.k.used8(a) {
			continue
		}
		c.touch(from, a-from, trace.Write)
		if from = a + wordSize; from > base+size {
			return
		}
	}
}

// used8 reports whether a thread has touched the 8 bytes at an address.
func (k *Kernel) used8(addr uint64) bool {
	owner, shared := k.m.Sharing(addr)
	return shared || owner != trace.NoThread
}

// Removed reports whether an address is in pages that were mapped by new_pages
// and are gone by remove_pages: it decides the name of a fault there.
func (k *Kernel) Removed(addr uint64) bool {
	if addr >= space || !k.someGone || k.m.Prot(addr) != 0 {
		return false
	}
	for _, r := range k.regions[:k.mapped] {
		if r.live == 0 && addr-r.base < r.size {
			return true
		}
	}
	return false
}

// Writable lists the memory that the guest may write, except the host's, in no
// order.
func (k *Kernel) Writable() (list []emu.Range) {
	for i := range k.img.Segments {
		if g := &k.img.Segments[i]; g.Write {
			list = append(list, emu.Range{Lo: g.Addr, Hi: g.Addr + g.MemSize})
		}
	}
	for _, r := range k.regions[:k.mapped] {
		if r.live != 0 {
			list = append(list, emu.Range{Lo: r.base, Hi: r.base + r.size})
		}
	}
	return append(list, emu.Range{Lo: mainTop - k.cfg.StackSize, Hi: mainTop})
}
