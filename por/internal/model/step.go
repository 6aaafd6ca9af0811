package model

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
)

// Threads implements por.System.
func (m *Machine) Threads(dst []trace.Thread) []trace.Thread {
	first, ready, parked := len(dst), false, false
	for t := range m.p.Threads {
		b := t * threadLen
		if m.w[b+wState] == notYet {
			continue
		}
		dst = slices.Grow(dst, 1)[:len(dst)+1] // and cleared where it is: it is large
		th := &dst[len(dst)-1]
		*th = trace.Thread{}
		th.ID, th.Status = trace.TID(t), trace.Exited
		if m.w[b+wState] == exited {
			continue
		}
		th.Status, th.Outcomes = trace.Ready, 1
		th.Pending, th.Flushed = m.op(t), uint32(m.flushed(t))
		th.Rests = th.Flushed > uint32(m.count(t, bDrained))
		switch th.Pending.Kind {
		case trace.OpAccess:
			th.PendingAccess = m.access(t, m.next(t))
			if in := m.next(t); m.p.Buffers && (in.Code == Store || in.Code == StoreR) {
				th.Beside = m.beside(t, trace.OpStores)
			} else if m.p.Buffers && in.Code == Load {
				if p := m.pieces(t, th.PendingAccess, nil); len(p) > 1 {
					th.Pieces = p
				}
			}
		case trace.OpYield:
			th.Yielding = true
		default:
			th.Outcomes = m.outcomes(t, &th.Pending)
		}
		if m.w[b+wSpin] != 0 {
			if m.unchanged(t) {
				th.Status, th.Outcomes = trace.Spinning, 0
			}
			for i := 0; i < int(m.w[b+wReads]); i++ {
				as := m.w[b+wRead+2*i]
				th.Waits = append(th.Waits, trace.Access{Addr: uint64(memBase + as>>8), Size: uint32(as & 0xff)})
			}
		}
		if waits := th.Flushed > uint32(m.count(t, bUpdated)); th.Status == trace.Ready && waits {
			th.Awaits = (m.counts(t) || m.awaits(t)) && !(m.p.Counts && m.p.Undeclared)
		} else if th.Status == trace.Ready && m.counts(t) {
			l := m.survey(t)
			if th.Awaits = !m.p.Undeclared; !l.counts {
				m.uncounted[[2]int{t, int(m.w[b+wPC])}] = true
				m.Finer = trace.ErrFiner
			} else if l.turns == 0 && th.Awaits {
				th.Status, th.Outcomes = trace.Spinning, 0
			}
		} else if r := m.hintAt(t); th.Status == trace.Ready && r != nil {
			in := m.next(t)
			th.PendingAccess = m.hintedAccess(t, r)
			loops := m.awaits(t) && m.inLoop(t, int(m.w[b+wPC]))
			if th.Awaits = r.waits || loops; r.waits && r.vain[m.peek(in.A, in.size())] || !r.waits && loops && m.polls(t) {
				th.Status, th.Outcomes = trace.Spinning, 0
			}
		} else if th.Status == trace.Ready && m.awaits(t) && !(m.p.Counts && m.p.Undeclared) {
			if th.Awaits = true; m.polls(t) {
				th.Status, th.Outcomes, th.Assumes = trace.Spinning, 0, m.wouldFail(t)
			}
		}
		if th.Status == trace.Ready && m.blocked(t) {
			th.Status, th.Outcomes = trace.Blocked, 0
		}
		if m.waits(t) {
			*th = trace.Thread{ID: th.ID, Status: trace.Blocked}
		}
		if m.parked(t) {
			*th, parked = trace.Thread{ID: th.ID, Status: trace.Spinning, Parked: true}, true
		}
		ready = ready || th.Status == trace.Ready
	}
	if n := len(dst); m.p.Buffers {
		dst = m.buffersThreads(dst)
		ready = ready || len(dst) > n
	}
	if m.endLate {
		m.letEnd(dst[first:])
	}
	if ready || parked && m.p.ParksBadly != RunsOut {
		return dst
	}
	over := m.expiring()
	for i := first; i < len(dst); i++ {
		th := &dst[i]
		if th.Expiring = slices.Contains(over, int(th.ID)); th.Expiring && int(th.ID) == over[0] {
			th.Status, th.Outcomes = trace.Ready, min(uint32(len(over)), 3)
		}
	}
	return dst
}

// expiring are the threads whose timed waits run out now. The first's does, and others' with it
// (Program.Together).
func (m *Machine) expiring() (over []int) {
	for t := range m.p.Threads {
		if m.w[t*threadLen+wState] == alive && m.blocked(t) && m.next(t) != nil && m.next(t).Timed {
			if over = append(over, t); !m.p.Together {
				break
			}
		}
	}
	return over
}

// Step implements por.System.
func (m *Machine) Step(id trace.TID, c trace.Choice) (*trace.Transition, error) {
	t := int(id)
	if n := len(m.p.Threads); t >= 2*n {
		x := m.newStep(id, c)
		m.drained((t-2*n)/n, (t-2*n)%n, x)
		return x, nil
	} else if t >= n {
		x := m.newStep(id, c)
		m.update(t-n, x)
		m.leave(t - n)
		return x, nil
	}
	b := t * threadLen
	expires := m.blocked(t)
	if m.w[b+wState] != alive || expires && m.expiring()[0] != t || m.w[b+wSpin] != 0 && m.unchanged(t) {
		panic(fmt.Sprintf("model: step of thread %d, which can't run", t))
	}
	in := m.next(t)
	m.noteTry(t)
	x := m.newStep(id, c)
	x.Begin, x.Frees = uint64(m.w[b+wInsns]), m.frees(t)
	if m.p.Buffers {
		x.Flushed = uint32(m.flushed(t))
		if m.waitsForAll(t) {
			m.set(m.buf+t*bufferLen+bDrained, int64(m.count(t, bPushed)))
		}
	}
	if m.w[b+wSpin] != 0 {
		m.watch(t)
	}
	if expires {
		over := m.expiring()[:1:1]
		switch all := m.expiring(); c {
		case 1:
			over = all
		case 2:
			over = all[:2]
		}
		for _, u := range over {
			m.expire(u, x)
		}
	} else if r := m.hintAt(t); r != nil {
		m.hintedStep(t, r, x)
	} else {
		turns := 1
		if m.counts(t) {
			turns = max(m.survey(t).turns, 1)
		}
		for ; turns > 0; turns-- {
			x.Accesses = x.Accesses[:0]
			m.event(t, c, x)
		}
	}
	for x.End == trace.EndPoint && (m.p.Coarse && m.goesOn(t) || m.p.Merge && m.merges(t, x)) {
		m.event(t, 0, x)
	}
	if x.End == trace.EndPoint && m.leave(t) {
		x.End = trace.EndThread
	}
	x.Last = uint64(m.w[b+wInsns])
	if m.p.Backs && m.awaiting {
		m.noteUse(t, in, x)
		for u := range m.p.Threads {
			m.noteTry(u)
		}
	}
	m.settleHints(t, x)
	for k := range x.Accesses {
		if a := &x.Accesses[k]; m.reads(&m.p.Threads[t][a.PC], a) {
			m.Finer = trace.ErrFiner
		}
	}
	if m.hear() {
		m.Finer = trace.ErrFiner
	}
	err := m.Finer
	m.Finer = nil
	return x, err
}

// newStep is the transition of the step under way.
func (m *Machine) newStep(id trace.TID, c trace.Choice) *trace.Transition {
	if m.nstep == len(m.steps) {
		m.steps = append(m.steps, trace.Transition{})
	}
	x := &m.steps[m.nstep]
	m.began = append(m.began[:m.nstep], len(m.log))
	m.nstep++
	*x = trace.Transition{Thread: id, Choice: c, Accesses: x.Accesses[:0], Ops: x.Ops[:0], Wakes: x.Wakes[:0]}
	return x
}

// goesOn reports whether, at coarse granularity, thread t's next event
// belongs to the same step.
func (m *Machine) goesOn(t int) bool {
	if m.w[t*threadLen+wSpin] != 0 {
		return false
	}
	switch op := m.op(t); op.Kind {
	case trace.OpFault:
		return m.p.Eager && m.outcomes(t, &op) == 1
	case trace.OpAccess, trace.OpUnlock, trace.OpSemPost, trace.OpReadUnlock, trace.OpWriteUnlock, trace.OpCreate, trace.OpExit:
		return true
	}
	return false
}

// merges reports whether thread t's next event goes into the step x under
// Program.Merge.
func (m *Machine) merges(t int, x *trace.Transition) bool {
	if m.w[t*threadLen+wSpin] != 0 {
		return false
	}
	next := m.op(t).Kind
	if n := len(x.Ops); n > 0 && len(x.Accesses) == 0 {
		k := x.Ops[n-1].Kind
		return k == trace.OpLock && (next == trace.OpAccess || next == trace.OpUnlock) || k == trace.OpUnlock && next == trace.OpUnlock
	}
	return len(x.Accesses) > 0 && next == trace.OpUnlock
}

// event carries out the event at which thread t stands and goes on to just
// before the next.
func (m *Machine) event(t int, c trace.Choice, x *trace.Transition) {
	b := t * threadLen
	op := m.op(t)
	in := m.next(t)
	switch op.Kind {
	case trace.OpEnd:
		x.End, m.Bug = trace.EndProcess, -1
		if m.w[b+wBug] != 0 {
			x.End, m.Bug = trace.EndBug, int(m.w[b+wBug])-1
		}
		return
	case trace.OpExit:
		x.Did(op)
		x.End = trace.EndThread
		m.set(b+wState, exited)
		return
	case trace.OpAccess:
		m.memory(t, in, x)
	case trace.OpNone:
		m.set(b+wPhase, 0)
	default:
		if !m.operate(t, c, in, &op, x) {
			return
		}
		if m.spins && !(m.quiet && in.Code != CondWait && m.holds(t, m.index(t, in), &op)) {
			m.set(b+wDirty, 1)
			m.set(b+wSum, 1<<60)
		}
	}
	if in.Timed {
		m.set(b+wRegs+in.R, 1)
	}
	m.past(t)
}

// past goes on behind the event that thread t has carried out.
func (m *Machine) past(t int) {
	b := t * threadLen
	m.set(b+wInsns, m.w[b+wInsns]+1)
	m.set(b+wDone, m.w[b+wDone]+1)
	m.set(b+wPC, m.w[b+wPC]+1)
	m.advance(t)
}

// expire lets thread t's wait run out.
func (m *Machine) expire(t int, x *trace.Transition) {
	b := t * threadLen
	x.Did(trace.Op{Kind: trace.OpAdvance})
	for u := range m.p.Threads {
		if m.parking {
			m.set(u*threadLen+wIdle, 1)
		}
	}
	if u := trace.TID(t); u != x.Thread {
		x.Wakes = append(x.Wakes, u)
	}
	m.set(b+wRegs+m.next(t).R, 0)
	if m.spins {
		m.set(b+wDirty, 1)
		m.set(b+wSum, 1<<60)
	}
	m.past(t)
}

// State is a hash of the current state: memory, objects, and each thread's
// place and registers. Equal for equivalent executions.
func (m *Machine) State() uint64 {
	h := uint64(14695981039346656037)
	mix := func(v int64) { h = (h ^ uint64(v)) * 1099511628211; h ^= h >> 29 }
	for t := range m.p.Threads {
		b := t * threadLen
		for _, i := range []int{wPC, wState, wQueue, wBug} {
			mix(m.w[b+i])
		}
		dead := -1 // the register that a thread is about to overwrite: a poll leaves something there
		if in := m.next(t); m.w[b+wState] == alive && in != nil && m.op(t).Kind == trace.OpAccess && loads(in) {
			dead = in.R
		}
		for i := 0; i < NumRegs; i++ {
			if i != dead {
				mix(m.w[b+wRegs+i])
			}
		}
	}
	return m.shared(h)
}

// Shared is State without the places and registers of threads that haven't ended.
func (m *Machine) Shared() uint64 {
	h := uint64(14695981039346656037)
	for t := range m.p.Threads {
		b := t * threadLen
		h = (h ^ uint64(m.w[b+wState])) * 1099511628211
		for i := 0; i < NumRegs && m.w[b+wState] == exited; i++ {
			h = (h ^ uint64(m.w[b+wRegs+i])) * 1099511628211
		}
	}
	return m.shared(h)
}

func (m *Machine) shared(h uint64) uint64 {
	mix := func(v int64) { h = (h ^ uint64(v)) * 1099511628211; h ^= h >> 29 }
	for i := 0; i < m.p.Bytes; i++ {
		if w := uint64(memBase+i) / 8; !m.stored[w] || m.read[w] {
			mix(m.w[m.mem+i])
		}
	}
	for i := m.mutex; i < m.clock; i++ {
		mix(m.w[i])
	}
	return h
}
