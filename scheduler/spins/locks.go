package spins

import (
	"slices"

	"landgo/internal/trace"
)

// A turn of a spin may take locks and give them back: a loop that looks under a lock
// whether something has come. Assume that threads only wait for a lock, and that its holder
// unlocks it (library/lockmerge.go). Then all that others meet of such a turn is a wait,
// and an execution without the turn has the same result. The thread is where it was, others
// get their locks sooner, and what blocks for good is a turn that doesn't end. So these
// locks aren't among what the thread waits for. Judged by TestQuietLocks in por's models,
// where every such turn is run.

// PlainLock reports whether an operation of a spin's is one that others can only
// wait for.
func PlainLock(k trace.OpKind) bool {
	switch k {
	case trace.OpLock, trace.OpReadLock, trace.OpWriteLock:
		return true
	}
	return takenBy(k) != trace.OpNone
}

// takenBy is the operation that takes what k gives back, OpNone if k doesn't.
func takenBy(k trace.OpKind) trace.OpKind {
	switch k {
	case trace.OpUnlock:
		return trace.OpLock
	case trace.OpReadUnlock:
		return trace.OpReadLock
	case trace.OpWriteUnlock:
		return trace.OpWriteLock
	}
	return trace.OpNone
}

// Taken are the locks that a turn has taken and not yet given back.
type Taken []trace.Op

// Did takes in an operation on a lock. It reports false if it gives back what the turn didn't take.
func (h *Taken) Did(op trace.Op) bool {
	by := takenBy(op.Kind)
	if by == trace.OpNone {
		*h = append(*h, op)
		return true
	}
	k := slices.IndexFunc(*h, func(o trace.Op) bool { return o.Obj == op.Obj && o.Kind == by })
	if k < 0 {
		return false
	}
	*h = slices.Delete(*h, k, k+1)
	return true
}
