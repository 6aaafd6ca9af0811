package model

import (
	"landgo/internal/trace"
)

// An instruction as a search sees it, when it is possible, and its effect.

// op is the operation at which thread t stands, OpAccess for an access.
func (m *Machine) op(t int) trace.Op {
	b := t * threadLen
	obj := func(k trace.OpKind, base, i int) trace.Op {
		if base == mutexBase {
			return m.mutexOp(k, i)
		}
		return trace.Op{Kind: k, Obj: uint64(base + i*objStride), Size: objSize}
	}
	tid := func(k trace.OpKind, t int) trace.Op { return trace.Op{Kind: k, Obj: uint64(t)} }
	if m.w[b+wBug] != 0 {
		return trace.Op{Kind: trace.OpEnd}
	}
	in := m.next(t)
	if in == nil {
		if t == 0 && m.p.MainEnds {
			return trace.Op{Kind: trace.OpEnd}
		}
		return tid(trace.OpExit, t)
	}
	switch i := m.index(t, in); in.Code {
	case Lock:
		return obj(trace.OpLock, mutexBase, i)
	case TryLock:
		return obj(trace.OpTryLock, mutexBase, i)
	case Unlock:
		return obj(trace.OpUnlock, mutexBase, i)
	case CondWait:
		if m.w[b+wQueue] == signalled {
			return obj(trace.OpLock, mutexBase, int(in.C))
		}
		return obj(trace.OpCondWait, condBase, i)
	case Signal:
		return obj(trace.OpCondSignal, condBase, i)
	case Broadcast:
		return obj(trace.OpCondBroadcast, condBase, i)
	case SemWait, SemTry, SemPost:
		o := obj(trace.OpSemWait, semBase, i)
		if in.Code == SemTry {
			o.Kind = trace.OpSemTryWait
		} else if in.Code == SemPost {
			o.Kind = trace.OpSemPost
		}
		o.Arg = uint64(m.w[m.sem+i])
		return o
	case ReadLock:
		return obj(trace.OpReadLock, rwBase, i)
	case WriteLock:
		return obj(trace.OpWriteLock, rwBase, i)
	case RWUnlock:
		if m.w[m.rw+2*i] == int64(t+1) {
			return obj(trace.OpWriteUnlock, rwBase, i)
		}
		return obj(trace.OpReadUnlock, rwBase, i)
	case Barrier:
		if m.w[b+wPhase] != 0 {
			return obj(trace.OpBarrierLeave, barrierBase, i)
		}
		o := obj(trace.OpBarrierArrive, barrierBase, i)
		if m.blending {
			o.Arg = trace.Gathers
			if int(m.w[m.bar+2*i])+1 == m.p.Barriers[i] {
				o.Arg |= trace.Completes
			}
		}
		return o
	case Create:
		return tid(trace.OpCreate, in.A)
	case Join:
		return tid(trace.OpJoin, in.A)
	case Yield:
		return trace.Op{Kind: trace.OpYield}
	case Exit:
		return trace.Op{Kind: trace.OpEnd}
	case Fence:
		return trace.Op{}
	case FenceAll:
		if m.w[b+wPhase] != 0 {
			return trace.Op{}
		}
		return trace.Op{Kind: trace.OpFenceAll}
	case Choose:
		return trace.Op{Kind: trace.OpChoose, Obj: uint64(in.C)}
	case Assume:
		return trace.Op{Kind: trace.OpAssume}
	case MayFail:
		return trace.Op{Kind: trace.OpFault}
	}
	return trace.Op{Kind: trace.OpAccess}
}

func (m *Machine) mutexOp(k trace.OpKind, i int) trace.Op {
	if m.p.Overlay {
		return trace.Op{Kind: k, Obj: uint64(memBase + 8*i), Size: 8}
	}
	return trace.Op{Kind: k, Obj: uint64(mutexBase + i*objStride), Size: objSize}
}

// held reports whether another thread holds mutex i, so that t can't lock it.
func (m *Machine) held(t, i int) bool {
	owner := m.w[m.mutex+i] & 0xff
	return owner != 0 && !(m.p.Recursive && owner == int64(t+1))
}

// lock and unlock count the owner's locks in a mutex's upper bits.
func (m *Machine) lock(t, i int) { m.set(m.mutex+i, (m.w[m.mutex+i]|int64(t+1))+1<<8) }

func (m *Machine) unlock(i int) {
	if v := m.w[m.mutex+i] - 1<<8; v>>8 > 0 {
		m.set(m.mutex+i, v)
	} else {
		m.set(m.mutex+i, 0)
	}
}

// blocked reports whether the operation at which thread t stands is
// impossible now.
func (m *Machine) blocked(t int) bool {
	b := t * threadLen
	in := m.next(t)
	if m.p.Buffers && m.flushed(t) > m.count(t, bUpdated) {
		return true
	}
	if in == nil || m.w[b+wBug] != 0 {
		return false
	}
	switch i := m.index(t, in); in.Code {
	case FenceAll:
		return m.fencing(t)
	case Lock:
		return m.held(t, i)
	case CondWait:
		return m.w[b+wQueue] == inQueue || m.w[b+wQueue] == signalled && m.held(t, int(in.C))
	case SemWait:
		return m.w[m.sem+i] == 0
	case ReadLock:
		return m.w[m.rw+2*i] != 0
	case WriteLock:
		return m.w[m.rw+2*i] != 0 || m.w[m.rw+2*i+1] != 0
	case Barrier:
		return m.w[b+wPhase] == m.w[m.bar+2*i+1]+1
	case Join:
		return m.w[in.A*threadLen+wState] != exited
	case Assume:
		return true
	}
	return false
}

// outcomes is how many outcomes the operation has at which thread t stands.
func (m *Machine) outcomes(t int, op *trace.Op) uint32 {
	switch op.Kind {
	case trace.OpCondSignal:
		n, _ := m.waiters(m.index(t, m.next(t)), 0)
		return uint32(max(n, 1))
	case trace.OpChoose:
		return uint32(op.Obj)
	case trace.OpFault:
		if int(m.w[m.faults]) < m.p.Faults {
			return 2
		}
	}
	return 1
}

// waiters returns the number of threads in the queue of condition c, and the
// n-th of them in ascending order.
func (m *Machine) waiters(c, n int) (count, nth int) {
	for t := range m.p.Threads {
		b := t * threadLen
		if m.w[b+wState] != alive || m.w[b+wQueue] != inQueue {
			continue
		}
		if in := m.next(t); m.index(t, in) == c {
			if count == n {
				nth = t
			}
			count++
		}
	}
	return count, nth
}

// operate carries out a synchronisation operation. It reports whether the
// thread is past its instruction.
func (m *Machine) operate(t int, c trace.Choice, in *Instr, op *trace.Op, x *trace.Transition) bool {
	b := t * threadLen
	i := m.index(t, in)
	r := b + wRegs + in.R
	past := true
	switch op.Kind {
	case trace.OpLock:
		if in.Code == CondWait {
			i = int(in.C)
			m.set(b+wQueue, 0)
		}
		m.lock(t, i)
	case trace.OpTryLock:
		if m.held(t, i) {
			op.Kind = trace.OpTryLockFail
			m.set(r, 0)
		} else {
			m.lock(t, i)
			m.set(r, 1)
		}
	case trace.OpUnlock:
		m.unlock(i)
	case trace.OpCondWait:
		m.unlock(int(in.C))
		x.Did(m.mutexOp(trace.OpUnlock, int(in.C)))
		m.set(b+wQueue, inQueue)
		m.set(b+wInsns, m.w[b+wInsns]+1)
		past = false
	case trace.OpCondSignal, trace.OpCondBroadcast:
		for n, w := m.waiters(i, int(c)); n > 0; n, w = m.waiters(i, 0) {
			m.set(w*threadLen+wQueue, signalled)
			x.Wakes = append(x.Wakes, trace.TID(w))
			if op.Kind == trace.OpCondSignal {
				break
			}
		}
	case trace.OpSemWait, trace.OpSemTryWait:
		if m.w[m.sem+i] == 0 {
			op.Kind = trace.OpSemTryWaitFail
			m.set(r, 0)
			break
		}
		m.set(m.sem+i, m.w[m.sem+i]-1)
		m.set(r, 1)
	case trace.OpSemPost:
		m.set(m.sem+i, m.w[m.sem+i]+1)
	case trace.OpReadLock:
		m.set(m.rw+2*i+1, m.w[m.rw+2*i+1]+1)
	case trace.OpWriteLock:
		m.set(m.rw+2*i, int64(t+1))
	case trace.OpReadUnlock:
		if m.w[m.rw+2*i+1] > 0 {
			m.set(m.rw+2*i+1, m.w[m.rw+2*i+1]-1)
		}
	case trace.OpWriteUnlock:
		m.set(m.rw+2*i, 0)
	case trace.OpBarrierArrive:
		gen := m.w[m.bar+2*i+1]
		if m.blending {
			op.Arg = trace.Gathers
		}
		m.set(b+wPhase, gen+1)
		m.set(m.bar+2*i, m.w[m.bar+2*i]+1)
		if int(m.w[m.bar+2*i]) == m.p.Barriers[i] {
			m.set(m.bar+2*i, 0)
			m.set(m.bar+2*i+1, gen+1)
			if !m.p.Endless {
				op.Arg |= op.Arg << 1 // trace.Completes
			}
			if m.p.Serial {
				m.set(b+wRegs+1, 7)
			}
			for u := range m.p.Threads {
				if other := m.next(u); u != t && m.w[u*threadLen+wPhase] == gen+1 && m.w[u*threadLen+wState] == alive && m.index(u, other) == i {
					x.Wakes = append(x.Wakes, trace.TID(u))
				}
			}
		}
		m.set(b+wInsns, m.w[b+wInsns]+1)
		past = false
	case trace.OpBarrierLeave:
		m.set(b+wPhase, 0)
	case trace.OpFenceAll:
		m.fenceAll(t, x)
		m.set(b+wPhase, 1)
		m.set(b+wInsns, m.w[b+wInsns]+1)
		past = false
	case trace.OpCreate:
		m.set(in.A*threadLen+wState, alive)
		m.advance(in.A)
		x.Wakes = append(x.Wakes, trace.TID(in.A))
	case trace.OpJoin:
	case trace.OpChoose, trace.OpFault:
		op.Arg = uint64(c)
		m.set(r, int64(c))
		if op.Kind == trace.OpFault {
			m.set(m.faults, m.w[m.faults]+int64(c))
		}
	case trace.OpYield:
		// a yield has no effect: a loop around it may be a spin
		x.Did(*op)
		m.past(t)
		return false
	}
	x.Did(*op)
	return past
}
