package heap

import (
	"fmt"

	"landgo/internal/trace"
)

// Wrong is the error of an access, a free or an end.
type Wrong struct {
	Kind    trace.BugKind
	Message string
	Block   Block // that it is about; Addr 0: none
}

// Access names the error of an access at an address whose bytes aren't all in a
// live block. does is its action: "reads 4 bytes", "locks a mutex".
//
// One that begins in a block that was freed is a use after the free; all others
// are about the nearest live block, whose bounds they go beyond.
func (h *Heap) Access(addr uint64, does string) Wrong {
	// One that was freed may lie in another allocator's that lives, and is older.
	if b := h.around(addr); b != nil && b.Freed && !h.cut(b, addr) {
		return Wrong{trace.UseAfterFree, fmt.Sprintf("%s at offset %d of a block of %s that has been freed", does, addr-b.Addr, Bytes(b.Size)), *b}
	}
	if b := h.liveAround(addr); b != nil { // begins in one, and goes on behind it
		return Wrong{trace.HeapOverflow, fmt.Sprintf("%s at offset %d of a block of %s: beyond its end", does, addr-b.Addr, Bytes(b.Size)), *b}
	}
	before, after := h.nearest(addr)
	if after != nil && after.Addr-addr > farAway {
		after = nil
	}
	if before != nil && addr-(before.Addr+before.Size) > farAway {
		before = nil
	}
	switch {
	case after != nil && (before == nil || after.Addr-addr <= addr-(before.Addr+before.Size)):
		return Wrong{trace.HeapOverflow, fmt.Sprintf("%s, %s before the start of a block of %s", does, Bytes(after.Addr-addr), Bytes(after.Size)), *after}
	case before != nil:
		return Wrong{trace.HeapOverflow, fmt.Sprintf("%s, %s after the end of a block of %s", does, Bytes(addr-before.Addr-before.Size), Bytes(before.Size)), *before}
	}
	return Wrong{Kind: trace.HeapOverflow, Message: fmt.Sprintf("%s at %#x, in memory for the heap that was never allocated", does, addr)}
}

// farAway is from how many bytes on a wrong access isn't one beyond a block's bounds: its address came about
// otherwise.
const farAway = 1 << 20

// Around is the live block that has an address in it, or nil.
func (h *Heap) Around(addr uint64) *Block { return h.liveAround(addr) }

func (h *Heap) liveAround(addr uint64) *Block {
	for i := len(h.blocks) - 1; i >= 0; i-- {
		if b := &h.blocks[i]; !b.Freed && b.Contains(addr) {
			return b
		}
	}
	return nil
}

// cut reports whether an address was in a block that realloc made smaller in
// place, and that goes on: b is the latest that had the address in it.
func (h *Heap) cut(b *Block, addr uint64) bool {
	l := h.Live(b.Family, b.Addr)
	return l != nil && addr-l.Addr < l.Was
}

// Near reports whether an address is in a block, live or not, or at most this many bytes before
// or behind one.
func (h *Heap) Near(addr, within uint64) bool {
	for i := range h.blocks {
		if b := &h.blocks[i]; addr+within >= b.Addr && addr < b.Addr+b.Size+within {
			return true
		}
	}
	return false
}

// nearest are the live blocks that end at an address or before it, and begin
// behind it. Where only freed ones are there, they will do.
func (h *Heap) nearest(addr uint64) (before, after *Block) {
	closer := func(b, than *Block, near bool) bool {
		return than == nil || !b.Freed && than.Freed || b.Freed == than.Freed && near
	}
	for i := range h.blocks {
		b := &h.blocks[i]
		switch {
		case b.Addr+b.Size <= addr:
			if closer(b, before, before != nil && b.Addr+b.Size >= before.Addr+before.Size) {
				before = b
			}
		case b.Addr > addr:
			if closer(b, after, after != nil && b.Addr <= after.Addr) {
				after = b
			}
		}
	}
	return before, after
}

// Bytes is an amount of memory in words.
func Bytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
