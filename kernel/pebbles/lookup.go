package pebbles

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Whether pages are there is state that other threads change. An access that
// finds its bytes is compared with the remove_pages that takes them
// (memory.go). A thread that finds none goes on too, by a call's error or by a
// handler of its faults. That is a look at the page's word, which new_pages and
// remove_pages change.

// look is an operation that depends on the mapping of the pages of [addr,
// addr+size).
func look(addr, size uint64) trace.Op {
	from, to := abi.PageDown(addr), abi.PageUp(addr+size)
	return trace.Op{Kind: trace.OpSyscall, Obj: pageWord(from), Size: uint32((to - from) / abi.PageSize * wordSize)}
}

// mappable reports whether new_pages can map the page of an address.
func mappable(addr uint64) bool { return addr >= userStart && addr < mainTop }

// misses makes a call an event that fails because it can't access [addr, addr+size)
// so: the first page where that is so decides.
func (c *call) misses(p *kernel.Plan, addr, size uint64, prot emu.Prot) {
	if addr+size < addr || addr+size > space {
		return
	}
	for page := abi.PageDown(addr); page < addr+size; page += abi.PageSize {
		if c.k.m.Prot(page)&prot == prot {
			continue
		}
		if mappable(page) {
			c.event(p, look(page, 1))
		}
		return
	}
}

// relies makes a call an event that succeeds because pages are there, without an
// access to them: they may be removed if new_pages mapped them.
func (c *call) relies(p *kernel.Plan, addr, size uint64) {
	if addr >= c.k.hull.Hi || c.k.hull.Lo >= addr+size {
		return
	}
	for _, r := range c.k.regions[:c.k.mapped] {
		if r.live == 1 && addr < r.base+r.size && r.base < addr+size {
			c.event(p, look(addr, size))
			return
		}
	}
}

// FaultLook is the look at a page by a thread whose handler goes on after a
// fault there. It is false for other faults, and without a registered handler.
func (k *Kernel) FaultLook(id trace.TID, f emu.Fault) (trace.Op, bool) {
	switch f.Kind {
	case emu.FaultRead, emu.FaultWrite, emu.FaultFetch:
		return look(f.Addr, 1), k.threads[id].handler.stack != 0 && mappable(f.Addr)
	}
	return trace.Op{}, false
}
