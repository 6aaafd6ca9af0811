package por

import (
	"encoding/binary"

	"landgo/trace"
)

// recorder wraps a System and keeps the transitions of the current execution.
type recorder struct {
	System
	path    []trace.Transition
	marks   []recMark
	blocked bool // somebody waited for more than a join, at some time
}

type recMark struct {
	inner trace.Mark
	n     int
}

func (r *recorder) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	x, err := r.System.Step(t, c)
	cp := *x
	cp.Accesses = append([]trace.Access(nil), x.Accesses...)
	cp.Ops = append([]trace.Op(nil), x.Ops...)
	r.path = append(r.path, cp)
	return x, err
}

func (r *recorder) Threads(dst []trace.Thread) []trace.Thread {
	dst = r.System.Threads(dst)
	for i := range dst {
		if s := dst[i].Status; (s == trace.Blocked || s == trace.Spinning) && dst[i].Pending.Kind != trace.OpJoin {
			r.blocked = true
		}
	}
	return dst
}

func (r *recorder) Mark() trace.Mark {
	r.marks = append(r.marks, recMark{r.System.Mark(), len(r.path)})
	return trace.Mark(len(r.marks) - 1)
}

func (r *recorder) Rewind(k trace.Mark) {
	m := r.marks[k]
	r.marks = r.marks[:k+1]
	r.System.Rewind(m.inner)
	r.path = r.path[:m.n]
}

// canonical is the same for two executions if and only if they are the same
// trace: the linearisation that always takes the lowest thread that it can.
// It stands beside the searches' own dependence, on purpose: pairs of events,
// bytes and a few sentences.
func canonical(path []trace.Transition, buf []byte) []byte {
	n := len(path)
	done := make([]bool, n)
	buf = buf[:0]
	for taken := 0; taken < n; taken++ {
		best := -1
		for i := 0; i < n; i++ {
			if done[i] || best >= 0 && path[i].Thread >= path[best].Thread {
				continue
			}
			free := true
			for j := 0; j < i && free; j++ {
				free = done[j] || !ordered(&path[j], &path[i])
			}
			if free {
				best = i
			}
		}
		done[best] = true
		buf = append(buf, byte(path[best].Thread))
		buf = binary.AppendUvarint(buf, uint64(path[best].Choice))
	}
	return buf
}

func ordered(a, b *trace.Transition) bool {
	if a.Thread == b.Thread || a.End >= trace.EndProcess || b.End >= trace.EndProcess {
		return true
	}
	for _, p := range a.Accesses {
		for _, q := range b.Accesses {
			for k := p.Addr; k < p.Addr+uint64(p.Size); k++ {
				if k >= q.Addr && k < q.Addr+uint64(q.Size) && (p.IsWrite() || q.IsWrite()) {
					return true
				}
			}
		}
	}
	for _, p := range a.Ops {
		for _, q := range b.Ops {
			if p.Obj == q.Obj && (matters(p.Kind, q.Kind) || matters(q.Kind, p.Kind)) {
				return true
			}
		}
	}
	return false
}

func matters(a, b trace.OpKind) bool {
	in := func(k trace.OpKind, set ...trace.OpKind) bool {
		for _, s := range set {
			if k == s {
				return true
			}
		}
		return false
	}
	switch a {
	case trace.OpLock, trace.OpTryLock, trace.OpUnlock:
		return in(b, trace.OpLock, trace.OpTryLock, trace.OpUnlock, trace.OpTryLockFail)
	case trace.OpCondWait, trace.OpCondSignal, trace.OpCondBroadcast:
		return in(b, trace.OpCondWait, trace.OpCondSignal, trace.OpCondBroadcast)
	case trace.OpSemWait, trace.OpSemTryWait:
		return in(b, trace.OpSemWait, trace.OpSemTryWait, trace.OpSemPost, trace.OpSemTryWaitFail)
	case trace.OpSemPost:
		return b == trace.OpSemTryWaitFail
	case trace.OpWriteLock, trace.OpWriteUnlock:
		return in(b, trace.OpWriteLock, trace.OpWriteUnlock, trace.OpReadLock, trace.OpReadUnlock)
	case trace.OpBarrierArrive:
		return b == trace.OpBarrierArrive
	case trace.OpExit:
		return b == trace.OpJoin
	}
	return false
}
