package steer

import (
	"landgo/heap"
	"landgo/internal/trace"
)

// The blocks that a kernel's own allocators give out and take back
// (landgo_allocated, landgo_freed). Its memory is all open, but for freed blocks.
// No thread may touch these before they are given out again, not even by a switch
// to a stack that lies there.

// tellMemory follows an annotation of memory.
func (k *calls) tellMemory(u *turn, kind tellKind) (happening, error) {
	if kind == tellAllocated {
		return k.giveBlock(u, "landgo_allocated", k.proc.argument(0), k.proc.argument(1), 0, k.proc.returnAddress())
	}
	return k.takeBlock(u, "a free", k.proc.argument(0), 0, k.proc.returnAddress())
}

// giveBlock: an allocator gives n bytes at p to the code at pc.
func (k *calls) giveBlock(u *turn, by string, p, n uint64, family uint8, pc uint64) (happening, error) {
	at, ok := k.in.translate(p)
	if !ok {
		return k.exec.ended(u, k.exec.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	b := k.core.Heap().Give(heap.Block{Addr: at, Size: n, Family: heap.Family(family), Given: k.in.eventAt(u, pc)})
	k.keepBlock(*b, true)
	k.in.machine.Alive(at, n, true)
	k.observed(u, b, true)
	k.in.blockOp(u, trace.OpReuse, b, pc)
	return atNothing, nil
}

func (s *path) eventAt(u *turn, pc uint64) heap.Event {
	return heap.Event{Thread: u.th.ID, Step: int32(len(s.steps)), PC: pc}
}

// takeBlock: the code at pc gives the block at p back.
func (k *calls) takeBlock(u *turn, by string, p uint64, family uint8, pc uint64) (happening, error) {
	at, ok := k.in.translate(p)
	if !ok {
		return k.exec.ended(u, k.exec.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	w, ok := k.core.Heap().Free(at, heap.Family(family), by, k.in.whoseOwn(at))
	if !ok && !k.in.booted.Get() {
		return atNothing, nil // an allocator may get its memory so
	}
	if !ok {
		h, err := k.exec.ended(u, k.exec.failHere(u, w.Kind, "%s", w.Message))
		k.in.threads[u.tr.Thread].Failure.Block = w.Block
		return h, err
	}
	b := *k.core.Heap().At(heap.Family(family), at)
	k.in.blockOp(u, trace.OpFree, &b, pc)
	k.observed(u, &b, false)
	k.in.machine.Alive(b.Addr, b.Size, false)
	b.Back = k.in.eventAt(u, pc)
	k.keepBlock(b, false)
	k.core.Heap().Take(heap.Family(family), at, b.Back)
	return atNothing, nil
}

func (s *fixed) whoseOwn(at uint64) string {
	if name, ok := s.image.Variable(at); ok {
		return "the variable " + name
	}
	return ""
}

func (k *calls) observed(u *turn, b *heap.Block, given bool) {
	k.core.Block(u.th.ID, *b, given)
}

// blockOp records that a block begins or ends: accesses to its bytes depend on that.
func (s *reading) blockOp(u *turn, k trace.OpKind, b *heap.Block, pc uint64) {
	if s.booted.Get() && !s.aloneOwn() {
		u.tr.Did(trace.Op{Kind: k, Obj: b.Addr, Size: uint32(b.Size), PC: pc})
	}
}
