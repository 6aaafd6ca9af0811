package scheduler

import (
	"landgo/heap"
	"landgo/trace"
)

// What a kernel's own allocators give out and take back (landgo_allocated,
// landgo_freed). Its memory is all open, but for what was freed: nobody may touch
// that before it is given out again, not even a switch to a stack that lies
// there.

func (s *Bare) tellMemory(u *turn, kind tellKind, p, n uint64) (happening, error) {
	at, ok := s.translate(p)
	if !ok {
		return s.ended(u, s.failHere(u, InvalidFree, "landgo_%s names %#x, where nothing is mapped", tellNames[kind], p))
	}
	e := heap.Event{Thread: u.th.id, Step: int32(len(s.steps)), PC: s.returnAddress()}
	if kind == tellAllocated {
		b := s.heap.Give(heap.Block{Addr: at, Size: n, Given: e})
		s.machine.Alive(at, n, true)
		s.observed(u, b, true)
		s.blockOp(u, trace.OpReuse, b)
		return atNothing, nil
	}
	w, ok := s.heap.Free(at, 0, "a free", s.whoseOwn(at))
	if !ok {
		h, err := s.ended(u, s.failHere(u, Kind(w.Kind), "%s", w.Message))
		s.threads[u.tr.Thread].failure.Block = w.Block
		return h, err
	}
	b := *s.heap.At(0, at)
	s.blockOp(u, trace.OpFree, &b)
	s.observed(u, &b, false)
	s.machine.Alive(b.Addr, b.Size, false)
	s.heap.Take(0, at, e)
	return atNothing, nil
}

func (s *Bare) whoseOwn(at uint64) string {
	if name, ok := s.image.Variable(at + s.image.Bias); ok {
		return "the variable " + name
	}
	return ""
}

func (s *Bare) observed(u *turn, b *heap.Block, given bool) {
	if s.observer != nil {
		s.observer.Block(u.th.id, *b, given)
	}
}

// blockOp records that a block begins or ends, for those who touch its bytes.
func (s *Bare) blockOp(u *turn, k trace.OpKind, b *heap.Block) {
	if s.booted == 1 && !s.aloneOwn() {
		u.tr.Did(trace.Op{Kind: k, Obj: b.Addr, Size: uint32(b.Size), PC: s.returnAddress()})
	}
}
