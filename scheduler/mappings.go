package scheduler

import (
	"cmp"
	"fmt"
	"slices"

	"landgo/emu"
	"landgo/heap"
	"landgo/kernel"
)

// Memory that the program itself maps (mmap; new_pages on pebbles) is blocks
// too: who mapped it, and who took it back. Its pages are what keeps accesses out,
// so nothing has to be checked that doesn't fault anyway, and no program that is
// right can be told off for an access. What is mapped within a function of the C
// library (stacks, malloc's large blocks) or before the program's first thread
// runs is theirs, and no block of these.
//
// A mapping has whole pages: what lies between the bytes asked for and the end of
// the last page may be used on every machine. Behind a mapping of linux's a page
// stays free (kernel/linux/layout.go); on pebbles the program chooses the place,
// and an access beyond one mapping into the next isn't told from any other.
//
// To unmap on linux what is unmapped already is called a bug, although the call
// succeeds: on a real machine another thread may have been given the addresses
// by then. Here none is given twice, so that what it would destroy isn't seen
// otherwise. On pebbles the program chooses the addresses, so all that a second
// remove_pages may do is run; and its result tells of a failure.

// mappingFamily tells mappings from blocks of allocators.
const (
	mappingFamily = MappingFamilies + 1
	// partFamily is the parts of mappings that have been unmapped by themselves.
	partFamily = MappingFamilies

	// MappingFamilies and those above it are of mappings.
	MappingFamilies heap.Family = 254
)

// maps takes in what a call has mapped and unmapped. It returns the bug that an
// unmapping is, or nil.
func (s *System) maps(th *thread, call uint64, out *kernel.Outcome) *Failure {
	s.dropObjects(out.Unmapped)
	s.dropObjects(out.Mapped)
	own := !th.trusted() && len(th.inside) == 0 && s.entered != 0
	e := heap.Event{Thread: th.id, Step: int32(len(s.steps)), PC: call}
	if out.Unmapped.Size != 0 {
		if f := s.unmap(th, out.Unmapped, e, own); f != nil {
			return f
		}
	}
	if p := out.Mapped; p.Size != 0 && own {
		b := s.mapped.Around(p.Addr)
		reserved := b != nil && b.Contains(p.Addr+p.Size-1) && len(s.parts(*b, p.Addr, p.Addr+p.Size)) == 0
		if !reserved { // else what was mapped is made use of
			s.tell(th, *s.mapped.Give(heap.Block{Addr: p.Addr, Size: p.Size, Family: mappingFamily, Given: e}), true)
		}
	}
	return nil
}

func (s *System) tell(th *thread, b heap.Block, given bool) {
	if s.observer != nil {
		s.observer.Block(th.id, b, given)
	}
}

// unmap ends mappings. Of one that ends in part, the part is noted; when all of it
// is gone it has ended too.
func (s *System) unmap(th *thread, p kernel.Pages, e heap.Event, own bool) *Failure {
	end := p.Addr + p.Size
	before := s.endedMapping(p.Addr)
	live := false
	for _, b := range s.mapped.LiveOf(mappingFamily) {
		lo, hi := max(p.Addr, b.Addr), min(end, b.Addr+b.Size)
		if lo >= hi || s.unmappedParts(b, lo, hi) {
			continue
		}
		live = true
		if lo > b.Addr || hi < b.Addr+b.Size {
			part := heap.Block{Addr: lo, Size: hi - lo, Family: partFamily, Given: b.Given}
			s.mapped.Give(part)
			s.mapped.Take(partFamily, lo, e)
			s.tell(th, *s.mapped.At(partFamily, lo), false)
			if !s.unmappedParts(b, b.Addr, b.Addr+b.Size) {
				continue
			}
		}
		s.tell(th, b, false)
		s.mapped.Take(mappingFamily, b.Addr, e)
	}
	if live || !own || before == nil || !before.Contains(end-1) || s.cfg.PointsOnly { // on linux alone, see above
		return nil
	}
	return &Failure{Kind: DoubleFree, Thread: th.id, PC: e.PC, Block: *before,
		Message: fmt.Sprintf("unmaps %s at offset %d of a mapping of %s that has been unmapped already", size(p.Size), p.Addr-before.Addr, size(before.Size))}
}

// parts lists what has been unmapped by itself, between two addresses, of a mapping
// that lives, by address.
func (s *System) parts(of heap.Block, lo, hi uint64) (list []heap.Block) {
	all := s.mapped.Blocks()
	for i := len(all) - 1; i >= 0 && (all[i].Family != mappingFamily || all[i].Addr != of.Addr); i-- {
		if b := &all[i]; b.Family == partFamily && b.Addr < hi && lo < b.Addr+b.Size {
			list = append(list, *b)
		}
	}
	slices.SortFunc(list, func(a, b heap.Block) int { return cmp.Compare(a.Addr, b.Addr) })
	return list
}

// unmappedParts reports whether all from lo to hi, of a mapping that lives, has been
// unmapped.
func (s *System) unmappedParts(of heap.Block, lo, hi uint64) bool {
	for _, b := range s.parts(of, lo, hi) {
		if b.Addr > lo {
			return false
		}
		lo = max(lo, b.Addr+b.Size)
	}
	return lo >= hi
}

// endedMapping is the latest mapping, or part of one, with an address in it, if
// that has been unmapped; else nil.
func (s *System) endedMapping(addr uint64) *heap.Block {
	all := s.mapped.Blocks()
	for i := len(all) - 1; i >= 0; i-- {
		if b := &all[i]; b.Contains(addr) {
			if b.Freed {
				return b
			}
			return nil
		}
	}
	return nil
}

// mappingFault describes a fault at memory that was mapped by the program, or
// right behind or before such; ok if it is one. An access next to a thread's stack
// pointer is about that stack: nearStack.
func (s *System) mappingFault(out *Failure, f emu.Fault, nearStack bool) (ok bool) {
	does := bytesText(f.Kind == emu.FaultWrite, uint64(f.Size))
	if b := s.endedMapping(f.Addr); b != nil && s.machine.Prot(f.Addr) == 0 {
		out.Kind, out.Block = UseAfterFree, *b
		out.Message = fmt.Sprintf("%s at offset %d of a mapping of %s that has been unmapped", does, f.Addr-b.Addr, size(b.Size))
		return true
	}
	if nearStack {
		return false
	}
	if b := s.mapped.Around(f.Addr); b != nil {
		out.Block = *b
		if f.Addr+uint64(f.Size) > b.Addr+b.Size {
			out.Kind, out.Message = HeapOverflow, fmt.Sprintf("%s at offset %d of a mapping of %s: beyond its end", does, f.Addr-b.Addr, size(b.Size))
			return true
		}
		out.Message = fmt.Sprintf("%s at offset %d of a mapping of %s, in pages that don't allow it", does, f.Addr-b.Addr, size(b.Size))
		return true
	}
	if s.machine.Prot(f.Addr) != 0 {
		return false
	}
	for _, b := range s.mapped.LiveOf(mappingFamily) {
		switch behind, ahead := f.Addr-b.Addr-b.Size, b.Addr-f.Addr; {
		case behind < 4096:
			out.Message = fmt.Sprintf("%s, %s after the end of a mapping of %s", does, size(behind), size(b.Size))
		case ahead <= 4096:
			out.Message = fmt.Sprintf("%s, %s before the start of a mapping of %s", does, size(ahead), size(b.Size))
		default:
			continue
		}
		out.Kind, out.Block = HeapOverflow, b
		return true
	}
	return false
}

// lostMappings are the mappings to which nothing points.
func (s *System) lostMappings() []heap.Block {
	var roots []heap.Piece
	for _, p := range s.roots() {
		var skip []emu.Range
		for _, b := range s.mapped.LiveOf(mappingFamily) {
			skip = append(skip, emu.Range{Lo: b.Addr, Hi: b.Addr + b.Size})
		}
		roots = cut(roots, emu.Range{Lo: p.Addr, Hi: p.Addr + p.Size}, skip)
	}
	for _, b := range s.heap.Blocks() {
		if !b.Freed {
			roots = append(roots, heap.Piece{Addr: b.Addr, Size: b.Size})
		}
	}
	registers := s.registers()
	for i := range s.threads {
		if th := &s.threads[i]; s.exists[i] && th.live() { // a stack may be a mapping of the program's
			registers = append(registers, s.regsOf(th).RSP)
		}
	}
	return s.mapped.Lost(registers, roots, s.words)
}
