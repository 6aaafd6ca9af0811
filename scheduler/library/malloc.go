package library

import (
	"bytes"
	"math/bits"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// The trusted allocator's calls: package heap knows the blocks and where they
// lie, and here their bytes get accessible and calls get their results. Only the
// bytes asked for are alive to the machine: an access to any other byte of the
// arenas is a fault.

// allocate gives a thread n bytes at a multiple of 16, and of align; 0 if there
// are no more.
func (s *heapCalls) allocate(th edit, n, align uint64) uint64 {
	b, fresh := s.arenaFor(th.thread).Allocate(s.blockFor(th, n), align)
	return s.begin(th.thread, b, fresh)
}

// blockFor is a block of n bytes that a thread asks for, with no place yet.
func (s *heapCalls) blockFor(th edit, n uint64) heap.Block {
	return heap.Block{Size: n, Origin: s.origin(th), Library: s.isLibrarys(th.thread), Given: s.heapEvent(th.thread)}
}

// heapEvent is the call of the allocator at whose entry a thread stands.
func (s *heapCalls) heapEvent(th *thread) heap.Event {
	return s.core.HeapEvent(th.ID, s.callSite(th))
}

// begin makes a new block accessible and returns its address; 0 for none.
func (s *heapCalls) begin(th *thread, b *heap.Block, fresh heap.Piece) uint64 {
	if b == nil {
		return 0
	}
	s.machine.Prots(fresh.Addr, fresh.Size, func(r emu.Range, p emu.Prot) bool {
		if p == 0 {
			s.machine.Protect(r.Lo, r.Hi-r.Lo, emu.ProtRead|emu.ProtWrite)
			if s.cfg.Pools {
				s.machine.Alive(r.Lo, r.Hi-r.Lo, false) // memory outside may be used elsewhere
			}
		}
		return true
	})
	s.core.Block(th.ID, *b, true)
	s.machine.Alive(b.Addr, b.Size, true)
	if !b.Library {
		s.fill(b.Addr, b.Size)
	}
	return b.Addr
}

// fill writes the fill into memory that the guest hasn't written.
func (s *heapCalls) fill(addr, n uint64) {
	if s.cfg.Fill == nil || n == 0 {
		return
	}
	begin := addr % 8
	s.machine.Write(addr, bytes.Repeat(s.cfg.Fill[:], int(n/8)+2)[begin:begin+n])
}

// end ends the life of a live block.
func (s *heapCalls) end(th *thread, b heap.Block) {
	s.core.Block(th.ID, b, false)
	s.machine.Alive(b.Addr, b.Size, false)
	a := s.arenasOf(th.ID)
	if isLibraryPart(b.Addr) {
		a.library.Release(b.Addr, s.heapEvent(th))
	} else {
		a.user.Release(b.Addr, s.heapEvent(th))
	}
}

// badFree is the failure of a call that gives back the block at its first
// argument, or nil.
func (s *heapCalls) badFree(th edit) *scheduler.Failure {
	p := th.arg(0)
	what := ""
	if s.heap.Live(0, p) == nil && !s.core.Blocks.InHeap(p) {
		what = s.core.Blocks.Whose(p)
	}
	w, live := s.heap.Free(p, 0, th.role.String(), what)
	if live {
		var ok bool
		if w, ok = s.heap.At(0, p).Matches(s.origin(th), th.role.String()); ok {
			return nil
		}
	}
	f := &scheduler.Failure{Kind: w.Kind, Message: w.Message, Block: w.Block, Thread: th.ID, PC: s.callSite(th.thread)}
	if live && s.core.Blocks.WrongFree(f) {
		return nil
	}
	return f
}

// atAllocator makes a thread stand before a function of the allocator that other threads can
// observe, and carries the others out within the step.
func (s *heapCalls) atAllocator(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase, th.timed = phaseEntry, false
	th.pending = s.heapOp(th.thread)
	if s.standsBefore(th) {
		return scheduler.Stay, nil
	}
	if th.pending.Kind != trace.OpNone && s.isPoint(th.thread) && !s.begins {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	return s.performHeap(th, tr)
}

// heapOp is the operation, by the call at which a thread stands, on a block that other
// threads have touched, or the zero Op. A block's end of life depends on every
// access to it, and so does its being given out again: what an access finds
// there depends on the order.
func (s *heapCalls) heapOp(th *thread) trace.Op {
	if th.quiet.on || th.Starting || s.core.Alone(th.ID) {
		return trace.Op{}
	}
	op := trace.Op{PC: s.callSite(th)}
	switch th.role {
	case profile.Free:
		op.Kind = trace.OpFree
	case profile.Realloc, profile.ReallocArray:
		op.Kind = trace.OpFree
		if th.arg(0) == 0 {
			op.Kind = trace.OpReuse
		}
	case profile.Malloc, profile.Valloc, profile.Pvalloc, profile.Calloc, profile.AlignedAlloc, profile.Memalign, profile.PosixMemalign:
		op.Kind = trace.OpReuse
	}
	var p heap.Piece
	switch a := s.arenaFor(th); {
	case op.Kind == trace.OpFree:
		p = s.heap.Room(th.arg(0))
	case op.Kind == trace.OpReuse && a != nil:
		p = a.Reuse(th.request())
	}
	if p.Size == 0 {
		return trace.Op{}
	}
	op.Obj, op.Size = p.Addr, uint32(p.Size)
	shared := s.core.Sharing.Shared(th.ID, op.Obj, uint64(op.Size))
	if !shared {
		return trace.Op{}
	}
	return op
}

// request is how many bytes the call of the allocator at which a thread stands
// asks for, and at a multiple of what; 0 is any.
func (t *thread) request() (size, align uint64) {
	switch t.role {
	case profile.Malloc:
		return t.arg(0), 0
	case profile.Valloc:
		return t.arg(0), abi.PageSize
	case profile.Pvalloc: // whole pages
		return max(t.arg(0), abi.PageUp(t.arg(0))), abi.PageSize
	case profile.Calloc:
		return product(t.arg(0), t.arg(1)), 0
	case profile.Realloc:
		return t.arg(1), 0
	case profile.ReallocArray:
		return product(t.arg(1), t.arg(2)), 0
	case profile.AlignedAlloc, profile.Memalign:
		align = t.arg(0)
		if align&(align-1) != 0 && align < 1<<63 {
			align = 1 << bits.Len64(align) // as glibc's memalign has it
		}
		return t.arg(1), align
	case profile.PosixMemalign:
		return t.arg(2), t.arg(1)
	}
	return 0, 0
}

// performHeap carries out a function of the allocator. A wrong free is a bug.
func (s *heapCalls) performHeap(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.pending.Kind != trace.OpNone {
		tr.Did(th.pending)
	}
	if s.arenasOf(th.ID) == nil {
		return scheduler.Stay, s.core.Invalid(kernel.GapThreads, th.ID, s.callSite(th.thread), "thread %s would get the same memory as another thread, of those that landgo keeps for the allocations of threads", s.core.Name(th.ID))
	}
	p := th.arg(0)
	size, align := th.request()
	if other, ok := s.reach(th.thread, size, align); !ok {
		return scheduler.Stay, s.core.Invalid(kernel.GapMemory, th.ID, s.callSite(th.thread), "thread %s would get the same memory for large blocks as thread %s", s.core.Name(th.ID), s.core.Name(other))
	}
	switch th.role {
	case profile.AlignedAlloc, profile.Memalign:
		switch {
		case p&(p-1) == 0:
			s.give(th, tr, s.allocate(th, size, align))
		case s.libc == elffile.Musl:
			s.setErrno(th.thread, tr, abi.EINVAL)
			s.ret(th, 0)
		case th.role == profile.AlignedAlloc:
			return scheduler.Stay, s.core.Invalid(kernel.GapCall, th.ID, s.callSite(th.thread), "aligned_alloc(%d, %d) is not modelled: give it a power of two. What comes of %d isn't defined (glibc up to 2.37 takes the next power of two, later ones give no memory)", p, size, p)
		default: // glibc takes the next power of two
			s.give(th, tr, s.allocate(th, size, align))
		}
	case profile.Realloc, profile.ReallocArray:
		if p != 0 && size == 0 && s.libc == elffile.Glibc {
			return s.freed(th, tr) // and returns 0
		}
		if p != 0 {
			return s.resize(th, tr, size)
		}
		s.give(th, tr, s.allocate(th, size, 0))
	case profile.Calloc:
		s.give(th, tr, s.cleared(th, size))
	case profile.PosixMemalign:
		if align < s.wordSize || align&(align-1) != 0 {
			s.ret(th, abi.EINVAL)
			break
		}
		b := s.allocate(th, size, align)
		if b == 0 {
			s.ret(th, enomem)
			break
		}
		if s.machine.Prot(p)&emu.ProtWrite == 0 {
			return scheduler.Stay, s.meetFault(th.thread, emu.Fault{Kind: emu.FaultWrite, Addr: p, Size: 8}, "gives out memory")
		}
		s.door(th.thread, tr).write64(p, b)
		s.ret(th, 0)
	case profile.MallocUsableSize:
		if b := s.heap.At(0, p); b != nil && p != 0 {
			if b.Freed {
				return scheduler.Stay, s.core.Fail(th.ID, &scheduler.Failure{Kind: trace.UseAfterFree, Thread: th.ID, PC: s.callSite(th.thread), Block: *b,
					Message: "malloc_usable_size of a block that has been freed"})
			}
			size = b.Size
		}
		s.ret(th, size)
	case profile.Free:
		if p != 0 {
			return s.freed(th, tr)
		}
		s.ret(th, 0)
	default:
		s.give(th, tr, s.allocate(th, size, align))
	}
	return scheduler.Pass, nil
}

// freed carries out a free of a block.
func (s *heapCalls) freed(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if f := s.badFree(th); f != nil {
		return scheduler.Stay, s.core.Fail(th.ID, f)
	}
	b := *s.heap.At(0, th.arg(0))
	s.endObjects(th.thread, tr, b)
	s.end(th.thread, b)
	s.ret(th, 0)
	return scheduler.Pass, nil
}

// give returns a block to the allocator's caller, or that there is none.
func (s *heapCalls) give(th edit, tr *trace.Transition, p uint64) {
	if p == 0 {
		s.setErrno(th.thread, tr, enomem)
	}
	s.ret(th, p)
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

// cleared allocates n bytes that are 0.
func (s *heapCalls) cleared(th edit, n uint64) uint64 {
	b, fresh := s.arenaFor(th.thread).Allocate(s.blockFor(th, n), 0)
	p := s.begin(th.thread, b, fresh)
	if p == 0 || fresh.Size > 1<<16 && s.cfg.Fill == nil {
		return p // the guest hasn't written there, and to look takes long
	}
	for _, b := range s.machine.Bytes(p, n) {
		if b != 0 { // used before, or filled
			s.machine.Write(p, make([]byte, n))
			break
		}
	}
	return p
}

// resize is realloc of a block: it moves unless its room is large enough.
func (s *heapCalls) resize(th edit, tr *trace.Transition, n uint64) (scheduler.Verdict, error) {
	p := th.arg(0)
	if f := s.badFree(th); f != nil {
		return scheduler.Stay, s.core.Fail(th.ID, f)
	}
	old := *s.heap.At(0, p)
	if s.heap.Resize(p, n, s.heapEvent(th.thread)) {
		s.core.Block(th.ID, old, false)
		s.core.Block(th.ID, *s.heap.At(0, p), true)
		s.machine.Alive(p, old.Size, false)
		s.machine.Alive(p, n, true)
		if n > old.Size && !old.Library {
			s.fill(p+old.Size, n-old.Size)
		}
		s.ret(th, p)
		return scheduler.Pass, nil
	}
	// A new room, so that the call is one event: the old block's end.
	next := s.blockFor(th, n)
	next.Library = old.Library
	b, fresh := s.arenaFor(th.thread).AllocateNew(next)
	q := s.begin(th.thread, b, fresh)
	if q != 0 {
		s.core.Sharing.Looks(th.ID, p, old.Size, 0)
		s.machine.Write(q, append([]byte(nil), s.machine.Bytes(p, old.Size)...))
		s.endObjects(th.thread, tr, old)
		s.end(th.thread, old)
	}
	s.give(th, tr, q)
	return scheduler.Pass, nil
}

// endObjects ends the synchronisation objects in a block whose life ends. The uses of one
// of them before the end, and those that would come after it, depend on the end.
func (s *heapCalls) endObjects(th *thread, tr *trace.Transition, b heap.Block) {
	if th.quiet.on || th.Starting {
		return
	}
	for _, a := range s.objectsIn(b) {
		o := s.change(s.objects[a])
		if !s.core.Alone(th.ID) {
			s.did(th, tr, destroys[o.kind], o.object, 0)
		}
		o.destroyed = true // with no mark in memory: what is used there next is new
	}
}

// destroys is the operation that ends an object of each kind.
var destroys = [...]trace.OpKind{
	kindMutex: trace.OpMutexDestroy, kindCond: trace.OpCondDestroy, kindSem: trace.OpSemDestroy,
	kindRWLock: trace.OpRWDestroy, kindBarrier: trace.OpBarrierDestroy, kindOnce: trace.OpOnce, kindSpin: trace.OpMutexDestroy,
}
