package scheduler

import (
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler/spins"
)

// stillness says which steps have no effect that another thread could see.
type stillness struct {
	in       *present
	learning *learning
	buffers  *buffers
}

// calm reports whether a step had no effect that another thread could see. A buffered store
// makes the buffer longer, whatever its value.
func (s *stillness) calm(tr *trace.Transition) bool {
	return s.still(tr) && !slices.ContainsFunc(tr.Accesses, func(a trace.Access) bool { return a.IsWrite() && a.Flags&trace.Buffered != 0 })
}

// still is calm, but that a buffered store of what is there is no effect either if no other thread stores
// there (repeated.go).
func (s *stillness) still(tr *trace.Transition) bool {
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() && (a.Flags&trace.Silent == 0 || a.Flags&trace.Buffered != 0 && !s.buffers.repeats(tr.Thread, a)) && !s.in.passesTime(a) {
			return false
		}
	}
	for i := range tr.Ops {
		switch tr.Ops[i].Kind {
		case trace.OpYield, trace.OpTurn, trace.OpName, trace.OpSleep, trace.OpTryLockFail, trace.OpSemTryWaitFail,
			trace.OpTryReadLockFail, trace.OpTryWriteLockFail:
		case trace.OpSyscall:
			if !s.isLook(tr.Ops[i]) {
				return false
			}
		default:
			if !spins.PlainLock(tr.Ops[i].Kind) || s.learning.known.Contended[tr.Ops[i].Obj] {
				return false
			}
		}
	}
	return len(tr.Wakes) == 0
}

// looksOnly reports whether a step without an effect would have none in another order either.
func (s *stillness) looksOnly(tr *trace.Transition) bool {
	return tr.Choice == 0 && !slices.ContainsFunc(tr.Accesses, func(a trace.Access) bool {
		return a.IsWrite() && a.Blends() != trace.NoBlend || isClock(a) || s.in.passesTime(&a)
	}) && !slices.ContainsFunc(tr.Ops, func(op trace.Op) bool {
		switch op.Kind {
		case trace.OpYield, trace.OpLock, trace.OpUnlock, trace.OpReadLock, trace.OpReadUnlock, trace.OpWriteLock, trace.OpWriteUnlock:
			return false
		}
		return true
	})
}

// isLook reports whether an operation is a look at the clock that didn't move it.
func (s *stillness) isLook(op trace.Op) bool {
	k, ok := s.in.kernel.(clockKernel)
	return ok && !s.learning.known.Hurried && op.Kind == trace.OpSyscall && k.IsLook(op)
}
