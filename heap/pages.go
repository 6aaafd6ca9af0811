package heap

import "landgo/internal/abi"

// Allocators of the program's own may give out memory that is in use already, so
// each of their blocks is compared with the live ones near it. On each page, pages
// has the numbers of the live blocks of followed pools, in no order. Beside that it
// has the large blocks. Rewind keeps it up by what it takes back.
type pages struct {
	on    map[uint64][]int32 // by page
	large []int32
}

const (
	// largeBlock is the size of a block that isn't entered page by page.
	largeBlock = 64 * abi.PageSize
)

// enter adds the live block with number n.
func (h *Heap) enter(n int32) {
	h.eachPage(n, func(list []int32) []int32 { return append(list, n) })
}

// leave takes the block with number n out.
func (h *Heap) leave(n int32) {
	h.eachPage(n, func(list []int32) []int32 {
		for i, m := range list {
			if m == n {
				last := len(list) - 1
				list[i] = list[last]
				return list[:last]
			}
		}
		panic("heap: a live block isn't on its page")
	})
}

func (h *Heap) eachPage(n int32, f func([]int32) []int32) {
	b := &h.blocks[n]
	switch {
	case b.Family == 0 || h.apart:
	case b.Size > largeBlock:
		h.pages.large = f(h.pages.large)
	default:
		for p := b.Addr / abi.PageSize; p <= b.lastPage(); p++ {
			h.pages.on[p] = f(h.pages.on[p])
		}
	}
}

// lastPage is that of its last byte; an empty block is on the page of its address.
func (b *Block) lastPage() uint64 { return (b.Addr + max(b.Size, 1) - 1) / abi.PageSize }

// Overlapping is the latest live block of b's family, not the guest's malloc's, that
// shares bytes with b, or nil.
func (h *Heap) Overlapping(b *Block) *Block {
	found := int32(-1)
	look := func(list []int32) {
		for _, n := range list {
			if o := &h.blocks[n]; n > found && o.Family == b.Family && o.Addr < b.Addr+b.Size && b.Addr < o.Addr+o.Size {
				found = n
			}
		}
	}
	look(h.pages.large)
	if b.Size > largeBlock {
		for _, list := range h.pages.on {
			look(list)
		}
	} else {
		for p := b.Addr / abi.PageSize; p <= b.lastPage(); p++ {
			look(h.pages.on[p])
		}
	}
	if found < 0 {
		return nil
	}
	return &h.blocks[found]
}
