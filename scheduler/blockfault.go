package scheduler

import (
	"fmt"

	"landgo/emu"
)

// Block is a block of the trusted allocator.
type Block struct {
	Addr uint64 // what malloc returned; 0: no block
	Size uint64 // bytes asked for
}

// blockFault says what is wrong with an access to memory of the allocator that
// is in no live block.
func (s *System) blockFault(out *Failure, f emu.Fault) {
	verb := "reads"
	if f.Kind == emu.FaultBlockWrite {
		verb = "writes"
	}
	access := fmt.Sprintf("%s %s", verb, count(uint64(f.Size), "byte"))
	before, b, after := s.blocksAt(f.Addr)
	switch {
	case b.Addr != 0 && s.machine.Read64(s.blockOf(b.Addr)-8) == tagFree:
		out.Kind, out.Block = UseAfterFree, b
		out.Message = fmt.Sprintf("%s at offset %d of a block of %s that has been freed", access, f.Addr-b.Addr, count(b.Size, "byte"))
	case b.Addr != 0 && f.Addr >= b.Addr:
		s.beyond(out, access, f, b)
	case b.Addr != 0:
		after = b
		fallthrough
	default:
		s.between(out, access, f, before, after)
	}
}

// beyond: the access is to a live block's room, but not to what was asked for.
func (s *System) beyond(out *Failure, access string, f emu.Fault, b Block) {
	out.Kind, out.Block = HeapOverflow, b
	if end := b.Addr + b.Size; f.Addr >= end {
		out.Message = fmt.Sprintf("%s, %s after the end of a block of %s", access, count(f.Addr-end, "byte"), count(b.Size, "byte"))
		return
	}
	out.Message = fmt.Sprintf("%s at offset %d of a block of %s: beyond its end", access, f.Addr-b.Addr, count(b.Size, "byte"))
}

// between: the access is to what lies between two blocks, and is taken to be
// about the nearer one.
func (s *System) between(out *Failure, access string, f emu.Fault, before, after Block) {
	out.Kind = HeapOverflow
	end := before.Addr + before.Size
	switch {
	case after.Addr != 0 && (before.Addr == 0 || after.Addr-f.Addr <= f.Addr-end):
		out.Block = after
		out.Message = fmt.Sprintf("%s, %s before the start of a block of %s", access, count(after.Addr-f.Addr, "byte"), count(after.Size, "byte"))
	case before.Addr != 0:
		s.beyond(out, access, f, before)
	default:
		out.Message = fmt.Sprintf("%s at %#x, in memory for the heap that was never allocated", access, f.Addr)
	}
}

func count(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// blocksAt finds the block in whose room an address is, or between which ones.
// It walks through the arena: somebody has come to the end of his execution.
func (s *System) blocksAt(addr uint64) (before, at, after Block) {
	for _, h := range s.heaps {
		if h == nil || addr < h.base || addr >= h.base+heapArena {
			continue
		}
		for b := h.base + headerSize; b < h.next; {
			size := s.blockSize(b)
			switch {
			case addr >= b+size:
				before = s.given(b, size)
			case addr >= b:
				return before, s.given(b, size), Block{}
			default:
				return before, Block{}, s.given(b, size)
			}
			b += size + headerSize
		}
	}
	return before, Block{}, Block{}
}

// given is a block as its user knows it: of an aligned one, the address that it
// was given.
func (s *System) given(b, size uint64) Block {
	p := b
	for a := b + 16; a < b+size && a+16 <= b+size; a += 16 {
		if s.machine.Read64(a-8) == tagAligned && s.machine.Read64(a-16) == b {
			p = a
			break
		}
	}
	return Block{p, s.asked(b)}
}

// blockOf is the block of a pointer that was given out.
func (s *System) blockOf(p uint64) uint64 {
	if b := s.block(p); b != 0 {
		return b
	}
	return p
}
