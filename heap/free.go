package heap

import (
	"fmt"

	"landgo/internal/trace"
)

// Free names the error of freeing the block at a pointer by the named function,
// for the allocators of a family; ok if there is none. The describing function
// names memory that isn't the heap's, for a message: "a variable", "the stack
// of thread 0.1"; "" if it is the heap's.
func (h *Heap) Free(p uint64, f Family, function, what string) (w Wrong, ok bool) {
	b := h.At(f, p)
	other := h.othersAt(f, p)
	switch {
	case b != nil && !b.Freed:
		return Wrong{}, true
	case other != nil:
		return Wrong{trace.InvalidFree, fmt.Sprintf("%s of a block that another allocator gave out", function), *other}, false
	case b != nil:
		return Wrong{trace.DoubleFree, fmt.Sprintf("%s of a block that is free already", function), *b}, false
	case what != "":
		return Wrong{Kind: trace.InvalidFree, Message: fmt.Sprintf("%s of %s, which no allocator gave out", function, what)}, false
	}
	if b = h.liveAround(p); b == nil {
		b = h.around(p)
	}
	switch {
	case b == nil:
		return Wrong{Kind: trace.InvalidFree, Message: fmt.Sprintf("%s of %#x, which no allocator gave out", function, p)}, false
	case b.Freed:
		return Wrong{trace.InvalidFree, fmt.Sprintf("%s of a pointer %s into a block that has been freed", function, Bytes(p-b.Addr)), *b}, false
	}
	return Wrong{trace.InvalidFree, fmt.Sprintf("%s of a pointer %s into a block of %s, not of its start", function, Bytes(p-b.Addr), Bytes(b.Size)), *b}, false
}

// Matches names the error of freeing a live block by the named function, which
// frees blocks of origin o. It is ok if there is none, or landgo can't know.
func (b *Block) Matches(o Origin, function string) (w Wrong, ok bool) {
	if b.Origin == o || b.Origin == Unknown || o == Unknown {
		return Wrong{}, true
	}
	switch o {
	case OfNew:
		function = "delete"
	case OfNewArray:
		function = "delete[]"
	}
	return Wrong{trace.InvalidFree, fmt.Sprintf("%s of a block that %s gave out", function, [...]string{"malloc", "new", "new[]"}[b.Origin]), *b}, false
}

// othersAt is the live block of another family that begins at an address, the
// latest of several, or nil.
func (h *Heap) othersAt(f Family, p uint64) *Block {
	latest := int32(0)
	for _, other := range h.families {
		if n := h.last[place{other, p}]; other != f && n > latest && !h.blocks[n-1].Freed {
			latest = n
		}
	}
	if latest == 0 {
		return nil
	}
	return &h.blocks[latest-1]
}
