package scheduler

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

// plainLock reports whether an operation of a spin's is one that others can only
// wait for.
func plainLock(k trace.OpKind) bool {
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

// givesBack reports whether the thread's own steps from index i on unlock all
// that they lock, and no more. Of these locks it is remembered that they may not
// become contended.
func (s *spins) givesBack(th *thread, i int32) bool {
	type lock struct {
		obj uint64
		by  trace.OpKind
	}
	var has []lock
	for ; int(i) < len(s.in.steps); i++ {
		if s.in.steps[i].tr.Thread != th.ID {
			continue
		}
		for _, op := range s.in.steps[i].tr.Ops {
			if !plainLock(op.Kind) {
				continue
			}
			s.learning.known.Merged[op.Obj] = true
			if by := takenBy(op.Kind); by == trace.OpNone {
				has = append(has, lock{op.Obj, op.Kind})
			} else if k := slices.Index(has, lock{op.Obj, by}); k >= 0 {
				has = slices.Delete(has, k, k+1)
			} else {
				return false
			}
		}
	}
	return len(has) == 0
}
