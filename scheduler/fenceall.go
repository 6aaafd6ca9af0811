package scheduler

import (
	"maps"
	"slices"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler/names"
)

// A call that empties the store buffers of all threads. Each is empty at a moment
// of its own during the call. So the call is several steps. It begins, when the caller's own
// buffer is empty. For each thread that ever stores, a *drain* finds the buffer empty, as a step
// of its own. When all have, the caller goes on, by a step that does nothing else. A drain is a
// thread to the search, of a caller and an owner of a buffer. Stores, and their flushes, are
// operations on which it depends, once such a call was met.
//
// The drains of a call are of all threads that ever store, whether they are there or not. So a
// thread's creation and end are in no order with the call.

// draining is the part of a thread's state for drains.
type draining struct {
	calls uint32 // of the caller: drains that it waits for
	// Of the hole beside a drain: it is to find the buffer of a thread empty for another.
	asked      bool
	of, caller trace.TID
}

// fencesAll learns that a thread makes such a call.
func (b *buffers) fencesAll(th *thread) {
	if b.learning.known.Fencing.Add(uint64(th.ID)) {
		b.learning.finer = true
	}
}

// beside is the operation, for such calls, of a step that has to do with a thread's buffer.
func (b *buffers) beside(th *thread, k trace.OpKind) trace.Op {
	if len(b.learning.known.Fencing) == 0 {
		return trace.Op{}
	}
	return trace.Op{Kind: k, Obj: uint64(th.ID)}
}

// stores notes that a step of a thread puts a store into its buffer.
func (b *buffers) stores(th *thread, tr *trace.Transition) {
	op := b.beside(th, trace.OpStores)
	if op.Kind == trace.OpNone {
		return
	}
	tr.Did(op)
	if !b.attempt.probing && b.learning.known.Storing.Add(uint64(th.ID)) {
		b.learning.finer = true
	}
}

// callsAll has drains for the call that a thread has made. The thread has a step to take then
// even if there are none, for a schedule counts it.
func (b *buffers) callsAll(th edit, tr *trace.Transition, call string) error {
	for _, n := range slices.Sorted(maps.Keys(b.learning.known.Storing)) {
		t := trace.TID(n)
		if t == th.ID {
			continue
		}
		hole, err := b.intern(t, names.Drain(th.ID))
		if err != nil {
			return b.in.Invalid(kernel.GapThreads, th.ID, th.Regs.RIP, "%s isn't modelled with --model tso beside so many threads that store: %v", call, err)
		}
		b.in.ensure(bufferOf(hole))
		b.in.edit(hole).draining = draining{asked: true, of: t, caller: th.ID}
		th.calls++
		tr.Wakes = append(tr.Wakes, bufferOf(hole))
	}
	th.Stand, th.atNone = StandFence, true
	return nil
}

// describeDrain describes the drain beside a hole, if it is asked.
func (b *buffers) describeDrain(hole *thread, dst []trace.Thread) []trace.Thread {
	if !hole.asked {
		return dst
	}
	d := trace.Thread{ID: bufferOf(hole.ID), Outcomes: 1, Next: true, Updates: true, Of: hole.of, Pending: trace.Op{Kind: trace.OpDrained, Obj: uint64(hole.of)}}
	if !b.in.threads[hole.of].buffer.Empty() {
		d.Status, d.Outcomes = trace.Blocked, 0
	}
	return append(dst, d)
}

// drain is a step of the drain beside a hole.
func (s *present) drain(hole edit, tr *trace.Transition) {
	caller := s.edit(hole.caller)
	hole.asked = false
	caller.calls--
	tr.Of, tr.Last = hole.of, tr.Begin+1
	tr.Wakes = append(tr.Wakes, caller.ID)
	tr.Did(trace.Op{Kind: trace.OpDrained, Obj: uint64(hole.of)})
}
