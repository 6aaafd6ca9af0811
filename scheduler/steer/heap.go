package steer

import (
	"landgo/heap"
	"landgo/internal/trace"
)

// What a kernel's own allocators give out and take back (landgo_allocated,
// landgo_freed). Its memory is all open, but for what was freed: no thread may touch
// that before it is given out again, not even a switch to a stack that lies
// there.

// tellMemory is what an annotation says.
func (s *Kernel) tellMemory(u *turn, kind tellKind) (happening, error) {
	if kind == tellAllocated {
		return s.giveBlock(u, "landgo_allocated", s.proc.argument(0), s.proc.argument(1), 0, s.proc.returnAddress())
	}
	return s.takeBlock(u, "a free", s.proc.argument(0), 0, s.proc.returnAddress())
}

// giveBlock: an allocator gives n bytes at p to the code at pc.
func (s *Kernel) giveBlock(u *turn, by string, p, n uint64, family uint8, pc uint64) (happening, error) {
	at, ok := s.translate(p)
	if !ok {
		return s.ended(u, s.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	b := s.Heap().Give(heap.Block{Addr: at, Size: n, Family: heap.Family(family), Given: s.eventAt(u, pc)})
	s.keepBlock(*b, true)
	s.machine.Alive(at, n, true)
	s.observed(u, b, true)
	s.blockOp(u, trace.OpReuse, b, pc)
	return atNothing, nil
}

func (s *path) eventAt(u *turn, pc uint64) heap.Event {
	return heap.Event{Thread: u.th.ID, Step: int32(len(s.steps)), PC: pc}
}

// takeBlock: the code at pc gives the block at p back.
func (s *Kernel) takeBlock(u *turn, by string, p uint64, family uint8, pc uint64) (happening, error) {
	at, ok := s.translate(p)
	if !ok {
		return s.ended(u, s.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	w, ok := s.Heap().Free(at, heap.Family(family), by, s.whoseOwn(at))
	if !ok && !s.booted.Get() {
		return atNothing, nil // an allocator may get its memory so
	}
	if !ok {
		h, err := s.ended(u, s.failHere(u, w.Kind, "%s", w.Message))
		s.threads[u.tr.Thread].Failure.Block = w.Block
		return h, err
	}
	b := *s.Heap().At(heap.Family(family), at)
	s.blockOp(u, trace.OpFree, &b, pc)
	s.observed(u, &b, false)
	s.machine.Alive(b.Addr, b.Size, false)
	b.Back = s.eventAt(u, pc)
	s.keepBlock(b, false)
	s.Heap().Take(heap.Family(family), at, b.Back)
	return atNothing, nil
}

func (s *fixed) whoseOwn(at uint64) string {
	if name, ok := s.image.Variable(at); ok {
		return "the variable " + name
	}
	return ""
}

func (s *Kernel) observed(u *turn, b *heap.Block, given bool) {
	s.Block(u.th.ID, *b, given)
}

// blockOp records that a block begins or ends: accesses to its bytes depend on that.
func (s *reading) blockOp(u *turn, k trace.OpKind, b *heap.Block, pc uint64) {
	if s.booted.Get() && !s.aloneOwn() {
		u.tr.Did(trace.Op{Kind: k, Obj: b.Addr, Size: uint32(b.Size), PC: pc})
	}
}
