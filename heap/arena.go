package heap

import "math/bits"

// The trusted allocator: landgo carries malloc and free out itself, so that
// allocations of different threads commute. Each thread has an
// arena, and blocks come from it in the thread's own order. A freed block goes
// to the freeing thread's list of its size, youngest first. So memory is reused
// as with a thread cache, and doesn't depend on another thread's allocations.
//
// A block lies in a room: a piece of an arena of one of a few sizes. A gap
// before it is never in a block, so neighbours don't touch.

const (
	// Gap is the number of bytes before each room. It is more than a libc's
	// string function may read ahead of its block (emu.Config.Ahead). So such a
	// read never reaches the next room, and a read of that room is never taken
	// for one.
	Gap        = 80
	numClasses = 54 // up to 2 GiB
)

// Arena is where one thread's blocks come from.
type Arena struct {
	heap *Heap
	// parts are the arena's own addresses, those for small rooms (Low), and
	// those for blocks that its own have no place for (Far).
	parts   [3]part
	largest uint64
	small   uint64            // rooms below that come from the second part, while there is place
	free    [numClasses]int32 // 1 + the youngest free room of each class
}

// part is a range of addresses of an arena.
type part struct {
	base, end uint64
	next      uint64 // the first address never given out; 0: it is unused
}

// fits is where a room of n bytes would begin, with the gap before it.
func (p *part) fits(n uint64) (at uint64, ok bool) {
	at = max(p.next, p.base)
	return at, at+Gap+n <= p.end && n <= p.end
}

// room is a piece of an arena that holds a block at a time.
type room struct {
	addr  uint64
	class uint8
	link  int32 // while it is free: 1 + the next older free one of its list
}

// NewArena makes an arena of the heap, with the addresses [base, end); a block
// may take at most largest of them. Rewind takes back the contents of arenas,
// not the arenas.
func (h *Heap) NewArena(base, end, largest uint64) *Arena {
	a := &Arena{heap: h, parts: [3]part{{base: base, end: end}}, largest: min(largest, capacity(numClasses-1))}
	h.arenas = append(h.arenas, a)
	return a
}

// Low has the arena take rooms of less than this many bytes from [base, end), until these
// addresses are used up.
func (a *Arena) Low(base, end, below uint64) {
	a.parts[1], a.small = part{base: base, end: end}, below
}

// NeedsFar reports whether a block of n bytes, at a multiple of align, has no place in
// the arena unless Far gave it some.
func (a *Arena) NeedsFar(n, align uint64) bool {
	if n = space(n, align); n > a.largest || a.parts[2].end != 0 {
		return false
	}
	_, ok := a.choose(class(n))
	return !ok
}

// Far has the arena take rooms from [base, end) for which its own addresses have no
// place. That is for good: no other room comes from there.
func (a *Arena) Far(base, end uint64) { a.parts[2] = part{base: base, end: end} }

// choose is the part from which a new room of a class comes.
func (a *Arena) choose(c int) (n int, ok bool) {
	if _, ok := a.parts[1].fits(capacity(c)); ok && capacity(c) < a.small {
		return 1, true
	}
	if _, ok := a.parts[0].fits(capacity(c)); ok {
		return 0, true
	}
	_, ok = a.parts[2].fits(capacity(c))
	return 2, ok
}

// Base is the arena's first address.
func (a *Arena) Base() uint64 { return a.parts[0].base }

// class is the size class of n bytes: multiples of 16 up to 512, then powers of
// two.
func class(n uint64) int {
	if n <= 512 {
		return int(max(1, (n+15)/16) - 1)
	}
	return 32 + bits.Len64(n-1) - 10
}

// capacity is the number of bytes that a room of a class has.
func capacity(class int) uint64 {
	if class >= 32 {
		return 1 << (class - 32 + 10)
	}
	return uint64(class+1) * 16
}

// space is the number of bytes of a room in which n bytes at a multiple of align
// fit; an alignment that is none counts as 1.
func space(n, align uint64) uint64 {
	if align <= 16 || align&(align-1) != 0 {
		return n
	}
	if n+align < n {
		return ^uint64(0)
	}
	return n + align
}

// Piece is a range of memory.
type Piece struct{ Addr, Size uint64 }

// Reuse is the room that the next block of n bytes takes that was another's
// before; the zero Piece if it takes a new one, or none.
func (a *Arena) Reuse(n, align uint64) Piece {
	n = space(n, align)
	if n > a.largest {
		return Piece{}
	}
	if r := a.free[class(n)]; r > 0 {
		return a.heap.piece(r - 1)
	}
	return Piece{}
}

func (h *Heap) piece(r int32) Piece {
	return Piece{h.rooms[r].addr, capacity(int(h.rooms[r].class))}
}

// Allocate begins a block of b.Size bytes at a multiple of align, and of 16. It
// returns the part of the arena that was never used before, and no block if
// there is no room left.
func (a *Arena) Allocate(b Block, align uint64) (_ *Block, fresh Piece) {
	return a.allocate(b, align, false)
}

// AllocateNew is Allocate in a room that held no block before.
func (a *Arena) AllocateNew(b Block) (_ *Block, fresh Piece) { return a.allocate(b, 0, true) }

func (a *Arena) allocate(b Block, align uint64, unused bool) (_ *Block, fresh Piece) {
	h, n := a.heap, space(b.Size, align)
	if n > a.largest {
		return nil, Piece{}
	}
	c := class(n)
	r := a.free[c] - 1
	if r < 0 || unused {
		from, ok := a.choose(c)
		if !ok {
			return nil, Piece{}
		}
		next, _ := a.parts[from].fits(capacity(c))
		r = int32(len(h.rooms))
		h.rooms = append(h.rooms, room{addr: next + Gap, class: uint8(c)})
		a.setNext(from, next+Gap+capacity(c))
		fresh = Piece{next, Gap + capacity(c)}
	} else {
		a.setFree(c, h.rooms[r].link)
	}
	b.Addr = h.rooms[r].addr
	if align > 16 && align&(align-1) == 0 {
		b.Addr = (b.Addr + align - 1) &^ (align - 1)
	}
	return h.give(b, r), fresh
}

// Room is the room of the block that begins at an address, the zero Piece if
// there is none, or it has no room.
func (h *Heap) Room(addr uint64) Piece {
	n := h.last[place{0, addr}]
	if n == 0 || h.room[n-1] < 0 {
		return Piece{}
	}
	return h.piece(h.room[n-1])
}

// Release ends the life of the live block at an address and puts its room on
// the arena's list: that of the thread that frees.
func (a *Arena) Release(addr uint64, e Event) {
	h := a.heap
	r := h.room[h.last[place{0, addr}]-1]
	h.Take(0, addr, e)
	c := int(h.rooms[r].class)
	h.setLink(r, a.free[c])
	a.setFree(c, r+1)
}

// Resize makes the live block at an address one of n bytes, in the same room. It
// reports false, and changes nothing, if the room is too small.
func (h *Heap) Resize(addr, n uint64, e Event) bool {
	i := h.last[place{0, addr}] - 1
	r := h.room[i]
	if p := h.piece(r); n > p.Addr+p.Size-addr {
		return false
	}
	b := h.blocks[i]
	h.Take(0, addr, e)
	b.Was, b.Size, b.Given = b.Most(), n, e
	h.give(b, r)
	return true
}
