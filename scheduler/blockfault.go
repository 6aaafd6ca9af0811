package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/trace"
	"landgo/kernel"
)

// blockFault is the bug of an access to memory of the allocator of which not all
// is in a live block.
func (s *named) blockFault(out *Failure, f emu.Fault) {
	does := bytesText(f.Kind == emu.FaultBlockWrite, uint64(f.Size))
	if s.Stacks.BuriedAt(f.Addr) != trace.NoThread || !s.InHeap(f.Addr) && !s.heap.Near(f.Addr, uint64(f.Size)) {
		s.Stacks.graveFault(out, f, does)
		return
	}
	s.wrong(out, f.Addr, does)
}

// bytesText is an access in words.
func bytesText(write bool, n uint64) string {
	verb, noun := "reads", "bytes"
	if write {
		verb = "writes"
	}
	if n == 1 {
		noun = "byte"
	}
	return fmt.Sprintf("%s %d %s", verb, n, noun)
}

func (s *state) wrong(out *Failure, addr uint64, does string) {
	w := s.heap.Access(addr, does)
	out.Kind, out.Message, out.Block = w.Kind, w.Message, w.Block
}

// nearHeap reports whether an address that isn't mapped is about a block: the
// allocator's memory may end right before or behind it, or have been given back. Low
// addresses are numbers that a program may have for other reasons.
func (s *present) nearHeap(addr uint64) bool {
	return s.heap.Near(addr, 4096) || !s.cfg.NativeMalloc && !s.cfg.Pools && s.InHeap(addr) && (addr >= kernel.HeapLo || s.heap.Near(addr, 1<<20))
}

// closedBlock describes a fault within a live block: the program took back what its
// pages allow. ok if it is one.
func (s *present) closedBlock(out *Failure, f emu.Fault) (ok bool) {
	b := s.heap.Around(f.Addr)
	if b == nil || f.Addr+uint64(f.Size) > b.Addr+b.Size || !s.nearHeap(f.Addr) {
		return false
	}
	does := bytesText(f.Kind == emu.FaultWrite, uint64(f.Size))
	out.Block, out.Message = *b, fmt.Sprintf("%s at offset %d of a block of %s, in pages that don't allow it", does, f.Addr-b.Addr, heap.Bytes(b.Size))
	return true
}

// DeadAccess is the bug of something that landgo does for a thread with bytes
// that aren't all in a live block, or nil: as if the guest's own code had. reads: it only
// reads them.
func (s *System) DeadAccess(t trace.TID, pc, addr, size uint64, does string, reads bool) *Failure {
	if size == 0 || !s.machine.Dead(addr, size) {
		return nil
	}
	out := &Failure{Thread: t, PC: pc}
	for !s.machine.Dead(addr, 1) { // the first byte that is wrong tells more
		addr++
	}
	s.wrong(out, addr, does)
	if s.letThrough(out, reads) {
		return nil
	}
	return out
}

// Whose says what is at an address outside of the heap, "" if nothing is.
func (s *System) Whose(addr uint64) string {
	if name, ok := s.image.Variable(addr); ok {
		return "the variable " + name
	}
	if s.machine.Prot(addr) == 0 {
		return ""
	}
	for i := range s.image.Segments {
		if g := &s.image.Segments[i]; addr >= g.Addr && addr < g.Addr+g.MemSize {
			return "static memory"
		}
	}
	for i := range s.threads {
		if !s.threads[i].Exists || !s.threads[i].Live() {
			continue
		}
		regs := s.threads[i].Regs
		if s.threads[i].Set == 0 && s.threads[i].ID != s.current {
			regs = s.machine.Regs(s.threads[i].Ctx)
		}
		if s.oneMapping(regs.RSP, addr) {
			return fmt.Sprintf("the stack of thread %s", s.Name(s.threads[i].ID))
		}
	}
	return "memory that was mapped"
}

// maxStack is how far above its stack pointer a thread's stack is looked for.
const maxStack = 8 << 20

// oneMapping reports whether an address is at or above a stack pointer, with
// accessible pages all the way.
func (s *fixed) oneMapping(sp, addr uint64) bool {
	if addr < sp || addr-sp > maxStack {
		return false
	}
	for a := sp; a < addr; a += 4096 {
		if s.machine.Prot(a)&emu.ProtWrite == 0 {
			return false
		}
	}
	return true
}

// InHeap reports whether an address is in an allocator's memory.
func (s *present) InHeap(addr uint64) bool {
	if !s.cfg.NativeMalloc && (addr-kernel.HeapLo < kernel.HeapHi-kernel.HeapLo || s.lowHeap && addr-kernel.LowHeapLo < kernel.LowHeapHi-kernel.LowHeapLo) {
		return true
	}
	for _, p := range s.heap.Owned() {
		if addr-p.Addr < p.Size {
			return true
		}
	}
	return false
}
