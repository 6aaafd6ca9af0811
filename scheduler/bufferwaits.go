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
		return th.buffer.Pushed(), true
	}
	switch th.stand() {
	case StandAccess:
		all = th.Access.Flags&trace.Atomic != 0
	case StandOp:
		if all = b.in.lib.Drains(th.ID); !all && th.Stand == StandOp {
			op := b.in.lib.PendingOp(th.ID)
			if op.Size > 0 {
				n, _ = th.buffer.Answer(op.Obj, uint64(op.Size))
			}
		}
	case StandTrap:
		p := b.in.plan(th)
		n = th.restsOn(p)
		all = !p.Lockless && n <= th.buffer.Updated()
	case StandFence:
		all = true
	}
	if all {
		n = th.buffer.Pushed()
	}
	return n, all
}

// restsOn is the thread's newest store to the bytes on which it rests whether a call is lockless, 0 if
// there is none. It isn't known before these are in memory.
func (th *thread) restsOn(p *kernel.Plan) (n uint32) {
	for _, r := range p.Rests {
		of, _ := th.buffer.Answer(r.Addr, r.Size)
		n = max(n, of)
	}
	return n
}

// holds adds to a thread's description what its buffer makes of it.
func (b *buffers) holds(th *thread, d *trace.Thread) {
	if d.Status == trace.Exited {
		return
	}
	d.Flushed, _ = b.flushed(th)
	d.Rests = d.Flushed > 0 && th.buffer.Stored()
	if d.Status == trace.Ready && (d.Flushed > th.buffer.Updated() || th.calls > 0) {
		d.Status, d.Outcomes = trace.Blocked, 0
	}
	if a := &d.PendingAccess; d.Pending.Kind == trace.OpAccess && th.stand() == StandAccess && a.Flags&trace.Atomic == 0 &&
		(a.IsWrite() || th.buffer.Answered(a.Addr, uint64(a.Size))) {
		a.Flags |= trace.Buffered
		if a.IsWrite() {
			d.Beside = b.beside(th, trace.OpStores)
		}
	} else if d.Pending.Kind == trace.OpAccess && th.stand() == StandAccess && a.Flags&trace.Atomic == 0 {
		d.Pieces = th.buffer.Pieces(a)
	}
}
