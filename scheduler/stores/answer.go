package stores

import (
	"slices"

	"landgo/internal/trace"
)

// A load finds the thread's newest store to its bytes: in the buffer, or in memory if that store
// has gone there. Which store it is follows from the thread's past alone.

// Answer is the number of the entry, from 1, with the newest of the thread's stores to some of the
// bytes, and whether that store has them all. It is 0 if there is none since the thread last waited.
func (b *Buffer) Answer(addr, size uint64) (n uint32, whole bool) {
	if i := b.answer(addr, size); i >= 0 {
		o := &b.recent[i]
		return o.n, o.addr <= addr && addr+size <= o.addr+o.size
	}
	return 0, false
}

// answer is where in recent the newest of the stores to some of the bytes is, or -1.
func (b *Buffer) answer(addr, size uint64) int {
	for i := len(b.recent) - 1; i >= 0; i-- {
		if o := &b.recent[i]; o.addr < addr+size && addr < o.addr+o.size {
			return i
		}
	}
	return -1
}

// Answered reports whether the buffer answers a load.
func (b *Buffer) Answered(addr, size uint64) bool {
	n, whole := b.Answer(addr, size)
	return whole && n > b.Updated()
}

// Newest are the bytes of the newest entry, wherever that is by now, as writes.
func (b *Buffer) Newest() (list []trace.Access) {
	for _, o := range b.recent {
		if o.n == b.pushed {
			list = append(list, trace.Access{Addr: o.addr, Size: uint32(o.size), Flags: trace.Write})
		}
	}
	return list
}

// Holds reports whether there is a store to an address by the instruction at pc.
func (b *Buffer) Holds(pc, addr uint64) bool {
	return slices.ContainsFunc(b.queue, func(e Entry) bool {
		return slices.ContainsFunc(e.Parts, func(p Part) bool { return p.PC == pc && addr-p.Addr < uint64(p.Size) })
	})
}

// HasParts reports whether there are stores of a part of an access's bytes, or of more.
func (b *Buffer) HasParts(a *trace.Access) bool {
	return slices.ContainsFunc(b.queue, func(e Entry) bool {
		return slices.ContainsFunc(e.Parts, func(p Part) bool { return p.Overlaps(a) && (p.Addr != a.Addr || p.Size != a.Size) })
	})
}

// Pieces cuts a load if the thread's own stores, since it last waited for its buffer, have some of its
// bytes and no store has all. Each piece has one answer: a store, if the buffer has it still, else
// memory. It depends on other threads' updates of its bytes as a load of its own would. A load is cut
// alike in all orders. nil: it is in one piece.
func (b *Buffer) Pieces(a *trace.Access) (list []trace.Access) {
	if n, whole := b.Answer(a.Addr, uint64(a.Size)); n == 0 || whole {
		return nil
	}
	lo, hi := a.Counted()
	last := -1
	for at, end := a.Addr, a.Addr+uint64(a.Size); at < end; at++ {
		i := b.answer(at, 1)
		if at > a.Addr && i == last {
			list[len(list)-1].Size++
			continue
		}
		last = i
		p := *a
		if p.Addr, p.Size = at, 1; i >= 0 && b.recent[i].n > b.Updated() {
			p.Flags |= trace.Buffered
		}
		list = append(list, p)
	}
	for i := range list {
		p := &list[i]
		if end := p.Addr + uint64(p.Size); a.Ahead != 0 {
			p.Ahead = trace.MakeAhead(max(lo, p.Addr)-p.Addr, end-min(hi, end))
		}
	}
	return list
}
