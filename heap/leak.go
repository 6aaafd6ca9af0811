package heap

import "sort"

// Unfreed lists the blocks that are live and that the program itself asked for,
// oldest first.
func (h *Heap) Unfreed() (list []Block) {
	for i := range h.blocks {
		if b := &h.blocks[i]; !b.Freed && !b.Library {
			list = append(list, *b)
		}
	}
	return list
}

// Lost lists those of Unfreed to which nothing points: no register, no word in the roots, nor
// in a block that isn't lost. A word points to a block if it is the address of one of its
// bytes, or of the byte behind its last. words gives the words of a piece of memory, at
// multiples of their size. It is called for the roots, then for blocks, each once.
//
// That is conservative: a number that happens to look like an address keeps a
// block, so a block that is listed is lost.
func (h *Heap) Lost(registers []uint64, roots []Piece, words func(p Piece, found func(word uint64))) (list []Block) {
	var live []int32
	for i := range h.blocks {
		if !h.blocks[i].Freed {
			live = append(live, int32(i))
		}
	}
	sort.Slice(live, func(i, j int) bool { return h.blocks[live[i]].Addr < h.blocks[live[j]].Addr })
	reached := make([]bool, len(live))
	var todo []Piece
	reach := func(i int) {
		if !reached[i] {
			reached[i] = true
			b := &h.blocks[live[i]]
			todo = append(todo, Piece{b.Addr, b.Size})
		}
	}
	found := func(word uint64) {
		// The last block that begins at the word or before it.
		i := sort.Search(len(live), func(i int) bool { return h.blocks[live[i]].Addr > word }) - 1
		if i >= 0 && word-h.blocks[live[i]].Addr <= h.blocks[live[i]].Size {
			reach(i)
		}
	}
	for _, w := range registers {
		found(w)
	}
	for _, r := range roots {
		words(r, found)
	}
	for i := range live {
		if h.blocks[live[i]].Library {
			reach(i)
		}
	}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		words(p, found)
	}
	for i, n := range live {
		if !reached[i] {
			list = append(list, h.blocks[n])
		}
	}
	sort.Slice(list, func(i, j int) bool { return h.number(&list[i]) < h.number(&list[j]) })
	return list
}

// number is that of the latest block that began where b did.
func (h *Heap) number(b *Block) int32 { return h.last[place{b.Family, b.Addr}] }
