package scheduler

import (
	"hash/fnv"
	"math/bits"
	"strconv"
	"strings"

	"landgo/emu"
	"landgo/image"
	"landgo/kernel"
	"landgo/trace"
)

// The trusted allocator: landgo carries malloc and free out itself, so that
// allocations of different threads commute (DESIGN §4). Each thread has an
// arena whose place is a function of the thread's number, blocks come from it
// in the thread's own order, and a freed block goes to the freeing thread's
// list of its size, youngest first: memory is used again as it would be with a
// thread cache, and nothing depends on what another thread allocates.
//
// Before a block stand 16 bytes: its size class with the number of bytes asked
// for, and a tag that says that it is live. They are guest memory, so that they
// go back with it. Only the bytes asked for are alive to the machine: an access
// to any other byte of the arenas is a fault.

const (
	heapBase     = 0x10_0000_0000 // the upper half, of which kernels give nothing out
	heapArena    = 0xe00_0000     // 224 MiB of addresses for each thread
	heapArenas   = 128
	heapEnd      = heapBase + heapArenas*heapArena
	headerSize   = 16
	sizeMask     = 1<<56 - 1
	tagLive      = 0x6c616e64676f2b2b
	tagFree      = 0x6c616e64676f2d2d
	tagAligned   = 0x6c616e64676f3d3d // before an aligned block: where its real block is
	numClasses   = 48
	largestBlock = heapArena / 2
	libraryPart  = heapArena / 16 // the arena's last part: what stdio allocates for itself
)

// heap is one thread's arena, or the part of it that is the library's: a buffer
// of stdio's never lies where a block of the user's lay in another execution, or
// what stdio does to it would look like an access to the user's memory.
type heap struct {
	base    uint64
	end     uint64
	next    uint64             // the first address never given out; 0: the arena is unused
	free    [numClasses]uint64 // the youngest free block of each class, linked through its first word
	library *heap
}

// class is the size class of n bytes, and the class's size: multiples of 16 up
// to 512, then powers of two.
func class(n uint64) (int, uint64) {
	if n <= 512 {
		k := max(1, (n+15)/16)
		return int(k - 1), k * 16
	}
	k := bits.Len64(n - 1)
	return 32 + k - 10, 1 << k
}

// HeapRange is where the trusted allocator's blocks are.
func HeapRange() emu.Range { return emu.Range{Lo: heapBase, Hi: heapEnd} }

// allocate gives a thread n bytes at a multiple of 16; 0 if there are no more.
func (s *System) allocate(th *thread, n uint64) uint64 {
	p := s.room(th, n)
	if p != 0 {
		s.enliven(th, p, p, n)
	}
	return p
}

// enliven makes n bytes at p, in block b, those that may be accessed.
func (s *System) enliven(th *thread, b, p, n uint64) {
	if s.observer != nil {
		s.observer.Block(th.id, Block{p, n}, true)
	}
	s.machine.Write64(b-16, s.machine.Read64(b-16)&^sizeMask|n)
	s.machine.Alive(p, n, true)
}

// room takes a block that has room for n bytes, none of them alive yet: one
// that was freed, or a new one.
func (s *System) room(th *thread, n uint64) uint64 {
	if b := s.freeBlock(th, n); b != 0 {
		c, _ := class(n)
		s.machine.Set(&s.heapFor(th).free[c], s.machine.Read64(b))
		s.machine.Write64(b-8, tagLive)
		return b
	}
	return s.newRoom(th, n)
}

func (s *System) newRoom(th *thread, n uint64) uint64 {
	if n > largestBlock {
		return 0
	}
	m := s.machine
	h := s.heapFor(th)
	c, size := class(n)
	next := max(h.next, h.base)
	if next+headerSize+size > h.end {
		return 0
	}
	p := next + headerSize
	m.Set(&h.next, p+size)
	s.mapHeap(next, p+size)
	m.Write64(p-16, uint64(c)<<56)
	m.Write64(p-8, tagLive)
	return p
}

// mapHeap makes the pages of [from, to) accessible that aren't yet.
func (s *System) mapHeap(from, to uint64) {
	for a := from &^ 4095; a < to; a += 4096 {
		if s.machine.Prot(a) == 0 {
			s.machine.Protect(a, 4096, emu.ProtRead|emu.ProtWrite)
		}
	}
}

// heapFor is where a thread allocates now; nil if it has no arena.
func (s *System) heapFor(th *thread) *heap {
	h := s.heapOf(th.id)
	if h != nil && th.quiet.on {
		return h.library
	}
	return h
}

// heapOf is the arena of a thread; nil if there is none left (see arenaNumber).
func (s *System) heapOf(t trace.TID) *heap {
	for int(t) >= len(s.heaps) {
		s.heaps = append(s.heaps, nil)
	}
	if s.heaps[t] == nil {
		n := arenaNumber(s.Name(t))
		base := heapBase + heapArena*n
		for _, other := range s.heaps {
			if n >= heapArenas || other != nil && other.base == base {
				return nil
			}
		}
		cut := base + heapArena - libraryPart
		s.heaps[t] = &heap{base: base, end: cut, library: &heap{base: cut, end: base + heapArena}}
	}
	return s.heaps[t]
}

// arenaNumber is a function of a thread's name alone: the n-th child of the
// first thread has arena n; deeper ones share the last 32 by a hash of their
// names.
func arenaNumber(name string) uint64 {
	parts := strings.Split(name, ".")
	if len(parts) <= 2 {
		n, _ := strconv.ParseUint(parts[len(parts)-1], 10, 64)
		if n >= heapArenas-32 {
			return heapArenas
		}
		return n
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return heapArenas - 32 + uint64(h.Sum32()%32)
}

// block finds the block that a pointer from malloc or an aligned allocation
// stands for; 0 if it is none.
func (s *System) block(p uint64) uint64 {
	if p%16 != 0 || p < heapBase+headerSize || p >= heapBase+heapArena*heapArenas || s.machine.Prot(p-16) == 0 {
		return 0
	}
	switch s.machine.Read64(p - 8) {
	case tagLive, tagFree:
		return p
	case tagAligned:
		return s.machine.Read64(p - 16)
	}
	return 0
}

// blockSize is the number of bytes that a block has room for.
func (s *System) blockSize(b uint64) uint64 {
	if c := s.machine.Read64(b-16) >> 56; c >= 32 {
		return 1 << (c - 32 + 10)
	} else {
		return (c + 1) * 16
	}
}

// asked is the number of bytes that a live block was asked for.
func (s *System) asked(b uint64) uint64 { return s.machine.Read64(b-16) & sizeMask }

// release gives a block back. It reports what is wrong with that, or nil.
func (s *System) release(th *thread, p uint64) *Failure {
	bad := func(k Kind, text string) *Failure {
		return &Failure{Kind: k, Thread: th.id, PC: s.callSite(th), Message: text}
	}
	b := s.block(p)
	if b == 0 {
		return bad(InvalidFree, "free of a pointer that malloc didn't return")
	}
	m := s.machine
	if m.Read64(b-8) == tagFree {
		f := bad(DoubleFree, "free of a block that is free already")
		f.Block = Block{p, s.asked(b)}
		return f
	}
	if s.observer != nil {
		s.observer.Block(th.id, Block{p, s.asked(b)}, false)
	}
	c := int(m.Read64(b-16) >> 56)
	h := s.heapOf(th.id)
	m.Alive(p, s.asked(b), false)
	if (b-heapBase)%heapArena >= heapArena-libraryPart {
		h = h.library
	}
	m.Write64(b-8, tagFree)
	m.Write64(b, h.free[c])
	m.Set(&h.free[c], b)
	return nil
}

// atAllocator makes a thread stand before a function of the allocator that
// other threads can tell, and carries the others out within the step.
func (s *System) atAllocator(th *thread, tr *trace.Transition) (verdict, error) {
	th.phase, th.timed = phaseEntry, false
	th.pending = s.heapOp(th)
	if th.pending.Kind != trace.OpNone && s.cfg.Points&PointMem != 0 && s.pointAllowed(th, s.callSite(th)) {
		th.stand = standOp
		return stay, nil
	}
	return s.performHeap(th, tr)
}

// heapOp is what the call at which a thread stands does to a block that other
// threads have touched, or the zero Op. A block's end of life depends on every
// access to it, and so does its being given out again: what an access finds
// there depends on the order.
func (s *System) heapOp(th *thread) trace.Op {
	if th.quiet.on || th.starting || s.alone(th) {
		return trace.Op{}
	}
	op := trace.Op{PC: s.callSite(th)}
	switch th.role {
	case image.Free:
		op.Kind, op.Obj = trace.OpFree, s.block(th.arg(0))
	case image.Realloc, image.ReallocArray:
		op.Kind, op.Obj = trace.OpFree, s.block(th.arg(0))
		if th.arg(0) == 0 {
			n := th.arg(1)
			if th.role == image.ReallocArray {
				n = product(n, th.arg(2))
			}
			op.Kind, op.Obj = trace.OpReuse, s.freeBlock(th, n)
		}
	case image.Malloc, image.Valloc:
		op.Kind, op.Obj = trace.OpReuse, s.freeBlock(th, th.arg(0))
	case image.Calloc:
		op.Kind, op.Obj = trace.OpReuse, s.freeBlock(th, product(th.arg(0), th.arg(1)))
	case image.AlignedAlloc, image.Memalign:
		op.Kind, op.Obj = trace.OpReuse, s.freeBlock(th, s.roomFor(th.arg(1), th.arg(0)))
	case image.PosixMemalign:
		op.Kind, op.Obj = trace.OpReuse, s.freeBlock(th, s.roomFor(th.arg(2), th.arg(1)))
	}
	if op.Obj == 0 {
		return trace.Op{}
	}
	op.Size = uint32(s.blockSize(op.Obj))
	shared, learned := s.machine.Touch(th.id, op.Obj, uint64(op.Size))
	if learned {
		s.finer = true
	}
	if !shared {
		return trace.Op{}
	}
	return op
}

// freeBlock is the block that a thread's next allocation of n bytes uses again,
// 0 if it takes a new one.
func (s *System) freeBlock(th *thread, n uint64) uint64 {
	h := s.heapFor(th)
	if n > largestBlock || h == nil {
		return 0
	}
	c, _ := class(n)
	return h.free[c]
}

// performHeap carries out a function of the allocator. A wrong free is a bug.
func (s *System) performHeap(th *thread, tr *trace.Transition) (verdict, error) {
	if th.pending.Kind != trace.OpNone {
		tr.Did(th.pending)
	}
	a, b := th.arg(0), th.arg(1)
	if s.heapOf(th.id) == nil {
		return stay, s.invalid(kernel.GapThreads, th, s.callSite(th), "more threads allocate memory than landgo has arenas for (95 children of the first thread, and 32 others)")
	}
	switch th.role {
	case image.Malloc, image.Valloc:
		s.ret(th, s.newBlock(th, a, 0))
	case image.Calloc:
		s.ret(th, s.cleared(th, a, b))
	case image.ReallocArray:
		return s.resize(th, a, product(b, th.arg(2)))
	case image.Realloc:
		return s.resize(th, a, b)
	case image.AlignedAlloc, image.Memalign:
		s.ret(th, s.newBlock(th, b, a))
	case image.PosixMemalign:
		p := s.newBlock(th, th.arg(2), b)
		if p == 0 {
			s.ret(th, enomem)
			break
		}
		s.machine.Write64(a, p)
		s.ret(th, 0)
	case image.MallocUsableSize:
		size := uint64(0)
		if blk := s.block(a); a != 0 && blk != 0 {
			size = s.asked(blk)
		}
		s.ret(th, size)
	case image.Free:
		if a != 0 {
			if f := s.release(th, a); f != nil {
				return stay, s.fail(th, f)
			}
		}
		s.ret(th, 0)
	}
	return pass, nil
}

// enomem is the error of an allocation that can't be.
const enomem = 12

// product multiplies sizes; too large is the largest there is.
func product(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}

// newBlock allocates n bytes at a multiple of align.
func (s *System) newBlock(th *thread, n, align uint64) uint64 {
	if align <= 16 || align&(align-1) != 0 {
		return s.allocate(th, n)
	}
	b := s.room(th, s.roomFor(n, align))
	if b == 0 {
		return 0
	}
	if b%align == 0 {
		s.enliven(th, b, b, n)
		return b
	}
	p := (b + align) &^ (align - 1)
	s.enliven(th, b, p, n)
	s.machine.Write64(p-16, b)
	s.machine.Write64(p-8, tagAligned)
	return p
}

// roomFor is the size of a block that has n bytes at a multiple of align in it.
func (s *System) roomFor(n, align uint64) uint64 {
	if align <= 16 || align&(align-1) != 0 {
		return n
	}
	return n + align
}

// cleared allocates n*size bytes that are 0.
func (s *System) cleared(th *thread, n, size uint64) uint64 {
	total := product(n, size)
	p := s.allocate(th, total)
	if p == 0 {
		return 0
	}
	bytes := s.machine.Bytes(p, total)
	for i := range bytes {
		if bytes[i] != 0 { // used before
			s.machine.Write(p, make([]byte, total))
			break
		}
	}
	return p
}

// resize is realloc: the block moves unless its class has the room.
func (s *System) resize(th *thread, p, n uint64) (verdict, error) {
	if p == 0 {
		s.ret(th, s.allocate(th, n))
		return pass, nil
	}
	b := s.block(p)
	if b == 0 || s.machine.Read64(b-8) == tagFree {
		return stay, s.fail(th, &Failure{Kind: InvalidFree, Thread: th.id, PC: s.callSite(th),
			Message: "realloc of a pointer that isn't a live block"})
	}
	was := s.asked(b)
	if n <= s.blockSize(b)-(p-b) {
		s.machine.Alive(p, was, false)
		s.enliven(th, b, p, n)
		s.ret(th, p)
		return pass, nil
	}
	// A new block, so that the call is one event: the old one's end.
	q := s.newRoom(th, n)
	if q != 0 {
		s.enliven(th, q, q, n)
		old := s.machine.Bytes(p, was)
		s.machine.Write(q, append([]byte(nil), old...))
		s.release(th, p)
	}
	s.ret(th, q)
	return pass, nil
}
