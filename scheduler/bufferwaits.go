package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// What a thread with a store buffer waits for: that the buffer is empty, or that some of its stores are
// in memory. Everything else goes on with the buffer as it is (buffer.go).

// flushed is how many updates what a thread stands at comes after. all: it waits until its buffer is empty.
func (b *buffers) flushed(th *thread) (n uint32, all bool) {
	if b.atAdded(th) {
		return th.pushed, true
	}
	switch th.stand() {
	case StandAccess:
		all = th.Access.Flags&trace.Atomic != 0
	case StandOp:
		if all = b.in.lib.Drains(th.ID); !all && th.Stand == StandOp {
			op := b.in.lib.PendingOp(th.ID)
			if o, _ := th.answer(op.Obj, uint64(op.Size)); o != nil && op.Size > 0 {
				n = o.n
			}
		}
	case StandTrap:
		if !b.asked {
			b.plan = b.in.planned(th)
		}
		n = th.restsOn(&b.plan)
		all = !b.plan.Lockless && n <= th.updated()
	case StandFence:
		all = true
	}
	if all {
		n = th.pushed
	}
	return n, all
}

// answer is the newest of a thread's stores with some of the bytes, and whether it has all;
// nil if there is none since it last waited.
func (th *thread) answer(addr, size uint64) (o *ordinal, whole bool) {
	for i := len(th.recent) - 1; i >= 0; i-- {
		if o = &th.recent[i]; o.overlaps(addr, size) {
			return o, o.addr <= addr && addr+size <= o.addr+o.size
		}
	}
	return nil, false
}

// restsOn is the thread's newest store to the bytes on which it rests whether a call is lockless, 0 if
// there is none. It isn't known before these are in memory.
func (th *thread) restsOn(p *kernel.Plan) (n uint32) {
	for _, r := range p.Rests {
		if o, _ := th.answer(r.Addr, r.Size); o != nil {
			n = max(n, o.n)
		}
	}
	return n
}

// answered reports whether a thread's buffer answers a load.
func (th *thread) answered(addr, size uint64) bool {
	o, whole := th.answer(addr, size)
	return whole && o.n > th.updated()
}

// holds adds to a thread's description what its buffer makes of it.
func (b *buffers) holds(th *thread, d *trace.Thread) {
	if d.Status == trace.Exited {
		return
	}
	d.Flushed, _ = b.flushed(th)
	d.Rests = d.Flushed > 0 && th.stored
	if d.Status == trace.Ready && (d.Flushed > th.updated() || th.calls > 0) {
		d.Status, d.Outcomes = trace.Blocked, 0
	}
	if a := &d.PendingAccess; d.Pending.Kind == trace.OpAccess && th.stand() == StandAccess && a.Flags&trace.Atomic == 0 &&
		(a.IsWrite() || th.answered(a.Addr, uint64(a.Size))) {
		a.Flags |= trace.Buffered
		if a.IsWrite() {
			d.Beside = b.beside(th, trace.OpStores)
		}
	} else if d.Pending.Kind == trace.OpAccess && th.stand() == StandAccess && a.Flags&trace.Atomic == 0 {
		d.Pieces = th.pieces(a)
	}
}
