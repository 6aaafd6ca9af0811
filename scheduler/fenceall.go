package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// A call that empties the store buffers of all threads (membarrier). Each is empty at some
// moment during the call. Where at most one other thread ever stores, that is one moment, at
// which all are: the call is one step, possible while they are. With two others there are
// executions in which no single moment does for both, which isn't modelled. Stores, and their
// flushes, are operations on which the call depends, once such a call was met.

// planned is what the trap at which a thread stands will do.
func (s *present) planned(th *thread) kernel.Plan {
	p := s.kernel.Plan(th.ID, th.trap)
	if p.Fences && s.cfg.Buffers && !s.Alone(th.ID) {
		p.Effect, p.Op = kernel.Event, trace.Op{Kind: trace.OpFenceAll, Obj: trace.AllBuffers}
	}
	return p
}

// fencesAll learns that a thread makes such a call.
func (b *buffers) fencesAll(th *thread) error {
	if b.learning.known.Fencing.Add(uint64(th.ID)) {
		b.learning.finer = true
	}
	if b.tooMany() {
		return b.severalStore(th)
	}
	return nil
}

// tooMany reports whether two threads store beside one that empties all buffers.
func (b *buffers) tooMany() bool {
	for t := range b.learning.known.Fencing {
		others := len(b.learning.known.Storing)
		if b.learning.known.Storing[t] {
			others--
		}
		if others > 1 {
			return true
		}
	}
	return false
}

func (b *buffers) severalStore(th *thread) error {
	return b.in.Invalid(kernel.GapCall, th.ID, 0, "membarrier isn't modelled under x86-TSO where two other threads or more store to shared memory: each thread's buffer is emptied at a moment of its own; --model sc takes memory for sequentially consistent")
}

// beside is what a step that has to do with a buffer is to such calls.
func (b *buffers) beside(k trace.OpKind) trace.Op {
	if len(b.learning.known.Fencing) == 0 {
		return trace.Op{}
	}
	return trace.Op{Kind: k, Obj: trace.AllBuffers}
}

// stores notes that a step of a thread puts a store into its buffer.
func (b *buffers) stores(th *thread, tr *trace.Transition) {
	if op := b.beside(trace.OpStores); op.Kind != trace.OpNone {
		tr.Did(op)
		if !b.attempt.probing {
			b.learning.known.Storing.Add(uint64(th.ID))
		}
	}
}

// allEmpty reports whether all threads' buffers are.
func (b *buffers) allEmpty() bool {
	for i := range b.in.threads {
		if len(b.in.threads[i].queue) > 0 {
			return false
		}
	}
	return true
}
