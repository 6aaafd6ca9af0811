package heap

import (
	"slices"

	"landgo/internal/trace"
)

// Event is a call of the allocator: by which thread, in which step of the
// execution (from 1), and to where it returns.
type Event struct {
	Thread trace.TID
	Step   int32
	PC     uint64
}

// Family distinguishes allocators: a block of one isn't another's to free. The
// guest's malloc is 0.
type Family uint8

// Origin is the function that allocated a block, of those that share one
// allocator.
type Origin uint8

const (
	OfMalloc Origin = iota
	OfNew
	OfNewArray
	Unknown
)

// Block is one life of a piece of memory.
type Block struct {
	Addr uint64 // the allocator's result; 0: no block
	Size uint64 // bytes asked for
	// Was is the largest size that it had before realloc made it this one in
	// place; 0: none did. The bytes behind its end up to there were never given
	// back.
	Was    uint64
	Family Family
	Origin Origin
	// Generation counts the blocks that began at Addr, from 1.
	Generation uint32
	// Library: the C library asked for it itself.
	Library bool
	Given   Event
	Freed   bool
	Back    Event // valid if Freed
}

// Contains reports whether an address is in the block.
func (b *Block) Contains(addr uint64) bool { return addr-b.Addr < b.Size }

// Heap is the blocks of one execution. The zero value isn't usable: see New.
type Heap struct {
	blocks []Block
	room   []int32 // of blocks, see arena.go; -1: not of an arena
	rooms  []room  // of all arenas
	arenas []*Arena
	owned  []Piece         // the memory of followed allocators
	last   map[place]int32 // 1 + the number of the latest block there
	pages  pages
	apart  bool // none of its blocks is looked for by what it overlaps
	log    []undo
	// families are those that ever had a block, before a Rewind too. Only which there are matters.
	families []Family
}

// place is where a block of a family begins: the first block that one allocator
// cuts out of another's begins where that does.
type place struct {
	family Family
	addr   uint64
}

// New is a heap without a block.
func New() *Heap { return &Heap{last: map[place]int32{}, pages: pages{on: map[uint64][]int32{}}} }

// NewApart is a heap whose blocks aren't compared: Overlapping finds none.
func NewApart() *Heap {
	h := New()
	h.apart = true
	return h
}

// Give begins a block.
func (h *Heap) Give(b Block) *Block { return h.give(b, -1) }

func (h *Heap) give(b Block, room int32) *Block {
	if !slices.Contains(h.families, b.Family) {
		h.families = append(h.families, b.Family)
	}
	p := place{b.Family, b.Addr}
	old := h.last[p]
	b.Generation, b.Freed = 1, false
	if old > 0 {
		b.Generation += h.blocks[old-1].Generation
	}
	h.blocks = append(h.blocks, b)
	h.room = append(h.room, room)
	h.setLast(p, int32(len(h.blocks)))
	h.enter(int32(len(h.blocks) - 1))
	return &h.blocks[len(h.blocks)-1]
}

// At is the latest block of a family that began at an address, nil if none did.
// It is valid until the next Give or Rewind.
func (h *Heap) At(f Family, addr uint64) *Block {
	if n := h.last[place{f, addr}]; n > 0 {
		return &h.blocks[n-1]
	}
	return nil
}

// Live is the live block of a family that began at an address, or nil.
func (h *Heap) Live(f Family, addr uint64) *Block {
	if b := h.At(f, addr); b != nil && !b.Freed {
		return b
	}
	return nil
}

// Take ends the life of the block of a family that begins at an address, by a
// call e. The caller has made sure that there is one (Live).
func (h *Heap) Take(f Family, addr uint64, e Event) {
	h.End(h.last[place{f, addr}]-1, e)
}

// End ends the life of a block by its place in Blocks.
func (h *Heap) End(n int32, e Event) {
	h.setFreed(n, e)
	h.leave(n)
}

// Extend makes the live block of a family at an address, which has no room, one
// of n bytes: it goes on as another.
func (h *Heap) Extend(f Family, addr, n uint64, e Event) {
	b := *h.Live(f, addr)
	h.Take(f, addr, e)
	b.Was, b.Size = b.Most(), n
	h.Give(b)
}

// Most is the largest size that a block has had at its place.
func (b *Block) Most() uint64 { return max(b.Size, b.Was) }

// Own adds memory to that of an allocator that landgo follows.
func (h *Heap) Own(p Piece) { h.owned = append(h.owned, p) }

// Owned is that memory, in the order in which it came.
func (h *Heap) Owned() []Piece { return h.owned }

// Blocks is all blocks, oldest first. The caller must not change it.
func (h *Heap) Blocks() []Block { return h.blocks }

// LiveOf lists the live blocks of a family, oldest first.
func (h *Heap) LiveOf(f Family) (list []Block) {
	for i := range h.blocks {
		if b := &h.blocks[i]; !b.Freed && b.Family == f {
			list = append(list, *b)
		}
	}
	return list
}

// around is the latest block that has an address in it, or nil.
func (h *Heap) around(addr uint64) *Block {
	for i := len(h.blocks) - 1; i >= 0; i-- {
		if h.blocks[i].Contains(addr) {
			return &h.blocks[i]
		}
	}
	return nil
}
