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
func (l *heapCalls) allocate(th edit, n, align uint64) uint64 {
	b, fresh := l.arenaFor(th.thread).Allocate(l.blockFor(th, n), align)
	return l.begin(th.thread, b, fresh)
}

// blockFor is a block of n bytes that a thread asks for, with no place yet.
func (l *heapCalls) blockFor(th edit, n uint64) heap.Block {
	return heap.Block{Size: n, Origin: l.origin(th), Library: l.isLibrarys(th.thread), Given: l.heapEvent(th.thread)}
}

// heapEvent is the call of the allocator at whose entry a thread stands.
func (l *heapCalls) heapEvent(th *thread) heap.Event {
	return l.core.HeapEvent(th.ID, l.callSite(th))
}

// begin makes a new block accessible and returns its address; 0 for none.
func (l *heapCalls) begin(th *thread, b *heap.Block, fresh heap.Piece) uint64 {
	if b == nil {
		return 0
	}
	l.machine.Prots(fresh.Addr, fresh.Size, func(r emu.Range, p emu.Prot) bool {
		if p == 0 {
			l.machine.Protect(r.Lo, r.Hi-r.Lo, emu.ProtRead|emu.ProtWrite)
			if l.cfg.Pools {
				l.machine.Alive(r.Lo, r.Hi-r.Lo, false) // memory outside may be used elsewhere
			}
		}
		return true
	})
	l.core.Block(th.ID, *b, true)
	l.machine.Alive(b.Addr, b.Size, true)
	if !b.Library {
		l.fill(b.Addr, b.Size)
	}
	return b.Addr
}

// fill writes the fill into memory that the guest hasn't written.
func (l *heapCalls) fill(addr, n uint64) {
	if l.cfg.Fill == nil || n == 0 {
		return
	}
	begin := addr % 8
	l.machine.Write(addr, bytes.Repeat(l.cfg.Fill[:], int(n/8)+2)[begin:begin+n])
}

// end ends the life of a live block.
func (l *heapCalls) end(th *thread, b heap.Block) {
	l.core.Block(th.ID, b, false)
	l.machine.Alive(b.Addr, b.Size, false)
	a := l.arenasOf(th.ID)
	if isLibraryPart(b.Addr) {
		a.library.Release(b.Addr, l.heapEvent(th))
	} else {
		a.user.Release(b.Addr, l.heapEvent(th))
	}
}

// badFree is the failure of a call that gives back the block at its first
// argument, or nil.
func (l *heapCalls) badFree(th edit) *scheduler.Failure {
	p := th.arg(0)
	what := ""
	if l.heap.Live(0, p) == nil && !l.core.Blocks.InHeap(p) {
		what = l.core.Blocks.Whose(p)
	}
	w, live := l.heap.Free(p, 0, th.role.String(), what)
	if live {
		var ok bool
		if w, ok = l.heap.At(0, p).Matches(l.origin(th), th.role.String()); ok {
			return nil
		}
	}
	f := &scheduler.Failure{Kind: w.Kind, Message: w.Message, Block: w.Block, Thread: th.ID, PC: l.callSite(th.thread)}
	if live && l.core.Blocks.WrongFree(f) {
		return nil
	}
	return f
}

// atAllocator makes a thread stand before a function of the allocator that other threads can
// observe, and carries the others out within the step.
func (l *heapCalls) atAllocator(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase, th.timed = phaseEntry, false
	th.pending = l.heapOp(th.thread)
	if l.standsBefore(th) {
		return scheduler.Stay, nil
	}
	if th.pending.Kind != trace.OpNone && l.isPoint(th.thread) && !l.begins {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	return l.performHeap(th, tr)
}

// heapOp is the operation, by the call at which a thread stands, on a block that other
// threads have touched, or the zero Op. A block's end of life depends on every
// access to it, and so does its being given out again: what an access finds
// there depends on the order.
func (l *heapCalls) heapOp(th *thread) trace.Op {
	if th.quiet.on || th.Starting || l.core.Alone(th.ID) {
		return trace.Op{}
	}
	op := trace.Op{PC: l.callSite(th)}
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
	switch a := l.arenaFor(th); {
	case op.Kind == trace.OpFree:
		p = l.heap.Room(th.arg(0))
	case op.Kind == trace.OpReuse && a != nil:
		p = a.Reuse(th.request())
	}
	if p.Size == 0 {
		return trace.Op{}
	}
	op.Obj, op.Size = p.Addr, uint32(p.Size)
	shared := l.core.Sharing.Shared(th.ID, op.Obj, uint64(op.Size))
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
func (l *heapCalls) performHeap(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.pending.Kind != trace.OpNone {
		tr.Did(th.pending)
		if th.pending.Kind == trace.OpFree {
			l.core.MemoryEnds(th.pending.Obj, uint64(th.pending.Size))
		}
	}
	if l.arenasOf(th.ID) == nil {
		return scheduler.Stay, l.core.Invalid(kernel.GapThreads, th.ID, l.callSite(th.thread), "thread %s would get the same memory as another thread, of those that landgo keeps for the allocations of threads", l.core.Name(th.ID))
	}
	p := th.arg(0)
	size, align := th.request()
	if other, ok := l.reach(th.thread, size, align); !ok {
		return scheduler.Stay, l.core.Invalid(kernel.GapMemory, th.ID, l.callSite(th.thread), "thread %s would get the same memory for large blocks as thread %s", l.core.Name(th.ID), l.core.Name(other))
	}
	switch th.role {
	case profile.AlignedAlloc, profile.Memalign:
		switch {
		case p&(p-1) == 0:
			l.give(th, tr, l.allocate(th, size, align))
		case l.libc == elffile.Musl:
			l.setErrno(th.thread, tr, abi.EINVAL)
			l.ret(th, 0)
		case th.role == profile.AlignedAlloc:
			return scheduler.Stay, l.core.Invalid(kernel.GapCall, th.ID, l.callSite(th.thread), "aligned_alloc(%d, %d) is not modelled: give it a power of two. What comes of %d isn't defined (glibc up to 2.37 takes the next power of two, later ones give no memory)", p, size, p)
		default: // glibc takes the next power of two
			l.give(th, tr, l.allocate(th, size, align))
		}
	case profile.Realloc, profile.ReallocArray:
		if p != 0 && size == 0 && l.libc == elffile.Glibc {
			return l.freed(th, tr) // and returns 0
		}
		if p != 0 {
			return l.resize(th, tr, size)
		}
		l.give(th, tr, l.allocate(th, size, 0))
	case profile.Calloc:
		l.give(th, tr, l.cleared(th, size))
	case profile.PosixMemalign:
		if align < l.wordSize || align&(align-1) != 0 {
			l.ret(th, abi.EINVAL)
			break
		}
		b := l.allocate(th, size, align)
		if b == 0 {
			l.ret(th, enomem)
			break
		}
		if l.machine.Prot(p)&emu.ProtWrite == 0 {
			return scheduler.Stay, l.meetFault(th.thread, emu.Fault{Kind: emu.FaultWrite, Addr: p, Size: 8}, "gives out memory")
		}
		l.door(th.thread, tr).write64(p, b)
		l.ret(th, 0)
	case profile.MallocUsableSize:
		if b := l.heap.At(0, p); b != nil && p != 0 {
			if b.Freed {
				return scheduler.Stay, l.core.Fail(th.ID, &scheduler.Failure{Kind: trace.UseAfterFree, Thread: th.ID, PC: l.callSite(th.thread), Block: *b,
					Message: "malloc_usable_size of a block that has been freed"})
			}
			size = b.Size
		}
		l.ret(th, size)
	case profile.Free:
		if p != 0 {
			return l.freed(th, tr)
		}
		l.ret(th, 0)
	default:
		l.give(th, tr, l.allocate(th, size, align))
	}
	return scheduler.Pass, nil
}

// freed carries out a free of a block.
func (l *heapCalls) freed(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if f := l.badFree(th); f != nil {
		return scheduler.Stay, l.core.Fail(th.ID, f)
	}
	b := *l.heap.At(0, th.arg(0))
	l.endObjects(th.thread, tr, b)
	l.end(th.thread, b)
	l.ret(th, 0)
	return scheduler.Pass, nil
}

// give returns a block to the allocator's caller, or that there is none.
func (l *heapCalls) give(th edit, tr *trace.Transition, p uint64) {
	if p == 0 {
		l.setErrno(th.thread, tr, enomem)
	}
	l.ret(th, p)
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
func (l *heapCalls) cleared(th edit, n uint64) uint64 {
	b, fresh := l.arenaFor(th.thread).Allocate(l.blockFor(th, n), 0)
	p := l.begin(th.thread, b, fresh)
	if p == 0 || fresh.Size > 1<<16 && l.cfg.Fill == nil {
		return p // the guest hasn't written there, and to look takes long
	}
	for _, b := range l.machine.Bytes(p, n) {
		if b != 0 { // used before, or filled
			l.machine.Write(p, make([]byte, n))
			break
		}
	}
	return p
}

// resize is realloc of a block: it moves unless its room is large enough.
func (l *heapCalls) resize(th edit, tr *trace.Transition, n uint64) (scheduler.Verdict, error) {
	p := th.arg(0)
	if f := l.badFree(th); f != nil {
		return scheduler.Stay, l.core.Fail(th.ID, f)
	}
	old := *l.heap.At(0, p)
	if l.heap.Resize(p, n, l.heapEvent(th.thread)) {
		l.core.Block(th.ID, old, false)
		l.core.Block(th.ID, *l.heap.At(0, p), true)
		l.machine.Alive(p, old.Size, false)
		l.machine.Alive(p, n, true)
		if n > old.Size && !old.Library {
			l.fill(p+old.Size, n-old.Size)
		}
		l.ret(th, p)
		return scheduler.Pass, nil
	}
	// A new room, so that the call is one event: the old block's end.
	next := l.blockFor(th, n)
	next.Library = old.Library
	b, fresh := l.arenaFor(th.thread).AllocateNew(next)
	q := l.begin(th.thread, b, fresh)
	if q != 0 {
		l.core.Sharing.Looks(th.ID, p, old.Size, 0)
		l.machine.Write(q, append([]byte(nil), l.machine.Bytes(p, old.Size)...))
		l.endObjects(th.thread, tr, old)
		l.end(th.thread, old)
	}
	l.give(th, tr, q)
	return scheduler.Pass, nil
}

// endObjects ends the synchronisation objects in a block whose life ends. The uses of one
// of them before the end, and those that would come after it, depend on the end.
func (l *heapCalls) endObjects(th *thread, tr *trace.Transition, b heap.Block) {
	if th.quiet.on || th.Starting {
		return
	}
	for _, a := range l.objectsIn(b) {
		o := l.change(a)
		if !l.core.Alone(th.ID) {
			l.did(th, tr, destroys[o.kind], o.object, 0)
		}
		o.destroyed = true // with no mark in memory: what is used there next is new
	}
}

// StackEnds implements Memory. The model of an object stays as it is: to use it is a bug of the stack's.
// Without these operations no use of the object depends on the end. A use makes no access to the
// bytes, and the end of the bytes is no operation on the object.
func (l *calls) StackEnds(t trace.TID, tr *trace.Transition, addr, size uint64) {
	for _, a := range l.objectsIn(heap.Block{Addr: addr, Size: size}) {
		o, _ := l.objects.Get(a)
		if n := uint64(l.sizes[o.kind]); l.machine.SharedHull(a, a+n).Hi != 0 {
			tr.Did(trace.Op{Kind: destroys[o.kind], Obj: a, Size: uint32(n), PC: l.threads[t].Regs.RIP})
		}
	}
}

// destroys is the operation that ends an object of each kind.
var destroys = [...]trace.OpKind{
	kindMutex: trace.OpMutexDestroy, kindCond: trace.OpCondDestroy, kindSem: trace.OpSemDestroy,
	kindRWLock: trace.OpRWDestroy, kindBarrier: trace.OpBarrierDestroy, kindOnce: trace.OpOnce, kindSpin: trace.OpMutexDestroy,
}
