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
func (c *calls) tellMemory(u *turn, kind tellKind) (happening, error) {
	if kind == tellAllocated {
		return c.giveBlock(u, "landgo_allocated", c.proc.argument(0), c.proc.argument(1), 0, c.proc.returnAddress())
	}
	return c.takeBlock(u, "a free", c.proc.argument(0), 0, c.proc.returnAddress())
}

// giveBlock: an allocator gives n bytes at p to the code at pc.
func (c *calls) giveBlock(u *turn, by string, p, n uint64, family uint8, pc uint64) (happening, error) {
	at, ok := c.in.translate(p)
	if !ok {
		return c.exec.ended(u, c.exec.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	b := c.core.Heap().Give(heap.Block{Addr: at, Size: n, Family: heap.Family(family), Given: c.in.eventAt(u, pc)})
	c.keepBlock(*b, true)
	c.in.machine.Alive(at, n, true)
	c.observed(u, b, true)
	c.in.blockOp(u, trace.OpReuse, b, pc)
	return atNothing, nil
}

func (k *path) eventAt(u *turn, pc uint64) heap.Event {
	return heap.Event{Thread: u.th.ID, Step: int32(len(k.steps)), PC: pc}
}

// takeBlock: the code at pc gives the block at p back.
func (c *calls) takeBlock(u *turn, by string, p uint64, family uint8, pc uint64) (happening, error) {
	at, ok := c.in.translate(p)
	if !ok {
		return c.exec.ended(u, c.exec.failHere(u, trace.InvalidFree, "%s names %#x, where nothing is mapped", by, p))
	}
	w, ok := c.core.Heap().Free(at, heap.Family(family), by, c.in.whoseOwn(at))
	if !ok && !c.in.booted.Get() {
		return atNothing, nil // an allocator may get its memory so
	}
	if !ok {
		h, err := c.exec.ended(u, c.exec.failHere(u, w.Kind, "%s", w.Message))
		c.in.threads[u.tr.Thread].Failure.Block = w.Block
		return h, err
	}
	b := *c.core.Heap().At(heap.Family(family), at)
	c.in.blockOp(u, trace.OpFree, &b, pc)
	c.observed(u, &b, false)
	c.in.machine.Alive(b.Addr, b.Size, false)
	b.Back = c.in.eventAt(u, pc)
	c.keepBlock(b, false)
	c.core.Heap().Take(heap.Family(family), at, b.Back)
	return atNothing, nil
}

func (k *fixed) whoseOwn(at uint64) string {
	if name, ok := k.image.Variable(at); ok {
		return "the variable " + name
	}
	return ""
}

func (c *calls) observed(u *turn, b *heap.Block, given bool) {
	c.core.Block(u.th.ID, *b, given)
}

// blockOp records that a block begins or ends: accesses to its bytes depend on that.
func (k *reading) blockOp(u *turn, kind trace.OpKind, b *heap.Block, pc uint64) {
	if k.booted.Get() && !k.aloneOwn() {
		u.tr.Did(trace.Op{Kind: kind, Obj: b.Addr, Size: uint32(b.Size), PC: pc})
	}
}
