package model

import "landgo/internal/trace"

// Store buffers, as x86-TSO has them (por/relation/buffer.go): a thread's stores
// go into its buffer, and thread n+t, of n threads, writes the oldest of thread t's to
// memory. A locked instruction, a fence and every operation but a yield or the process's
// end wait until the thread's buffer is empty. Where thread c empties all buffers, thread
// 2n+c*n+t finds that of thread t empty.

// BufferFault is a rule of the buffers that is left out, for a test of the tests.
type BufferFault uint8

const (
	Exact           BufferFault = iota
	NoForward                   // a load doesn't look into the buffer
	NewestFirst                 // the newest store is written first
	WeakFence                   // a fence doesn't wait
	WeakLocked                  // a locked instruction doesn't wait
	NoConflict                  // an update is no write to dependence
	WeakFenceAll                // a fence for all waits for its own thread's buffer only
	OneMoment                   // it waits until all buffers are empty at once
	UnseenStores                // stores are no operations to dependence
	UnhashedBuffers             // a state's digest has no buffers
	PartsWait                   // a load that a store has in part waits for that
	PartsMissed                 // it finds all bytes in memory
	OnePiece                    // it is one access to dependence, which the buffer answers
)

// Words of a thread's buffer.
const (
	bPushed   = iota // stores that it has ever had
	bUpdated         // of those, what is in memory
	bDrained         // bPushed when the thread last waited for all
	bAsked           // threads whose fence for all waits for this buffer, a bit for each
	bEntries         // of three words: address, size, value
	maxStores = 24
	bufferLen = bEntries + 3*maxStores
)

// entry is where the words of thread t's n-th store begin.
func (m *Machine) entry(t, n int) int { return m.buf + t*bufferLen + bEntries + 3*n }

// count is a number of thread t's buffer.
func (m *Machine) count(t, word int) int {
	if !m.p.Buffers {
		return 0
	}
	return int(m.w[m.buf+t*bufferLen+word])
}

// empty reports whether thread t's buffer is.
func (m *Machine) empty(t int) bool { return m.count(t, bPushed) == m.count(t, bUpdated) }

// fenceAll begins a fence for all by thread c.
func (m *Machine) fenceAll(c int, x *trace.Transition) {
	for t := range m.p.Threads {
		if at := m.buf + t*bufferLen + bAsked; t != c && m.p.Fault != WeakFenceAll {
			m.set(at, m.w[at]|1<<c)
			x.Wakes = append(x.Wakes, m.drain(c, t))
		}
	}
}

// drain is the thread that finds thread t's buffer empty for thread c.
func (m *Machine) drain(c, t int) trace.TID {
	n := len(m.p.Threads)
	return trace.TID(2*n + c*n + t)
}

// fencing reports whether thread c's fence for all waits for a buffer.
func (m *Machine) fencing(c int) bool {
	for t := range m.p.Threads {
		if m.count(t, bAsked)>>c&1 != 0 {
			return true
		}
	}
	return false
}

// drained is the step that finds thread t's buffer empty for thread c.
func (m *Machine) drained(c, t int, x *trace.Transition) {
	at := m.buf + t*bufferLen + bAsked
	m.set(at, m.w[at]&^(1<<c))
	x.Updates, x.Of = true, trace.TID(t)
	x.Wakes = append(x.Wakes, trace.TID(c))
	x.Did(trace.Op{Kind: trace.OpDrained, Obj: uint64(t)})
}

// beside is what a step that has to do with thread t's buffer is to a fence for all.
func (m *Machine) beside(t int, k trace.OpKind) trace.Op {
	if !m.fencesAll || m.p.Fault == UnseenStores {
		return trace.Op{}
	}
	return trace.Op{Kind: k, Obj: uint64(t)}
}

// did adds it to a step.
func (m *Machine) did(x *trace.Transition, t int, k trace.OpKind) {
	if op := m.beside(t, k); op.Kind != trace.OpNone {
		x.Did(op)
	}
}

// answer is the newest store of thread t, since it last waited, that has a byte of a
// load; -1 if there is none. It also says whether the store has all the load's bytes.
func (m *Machine) answer(t, at, size int) (n int, whole bool) {
	for n = m.count(t, bPushed) - 1; n >= m.count(t, bDrained); n-- {
		e := m.entry(t, n)
		lo, hi := int(m.w[e]), int(m.w[e]+m.w[e+1])
		if lo < at+size && at < hi {
			return n, lo <= at && at+size <= hi
		}
	}
	return -1, false
}

// waitsForAll reports whether the event at which thread t stands waits until its buffer
// is empty.
func (m *Machine) waitsForAll(t int) bool {
	switch op := m.op(t); op.Kind {
	case trace.OpAccess:
		c := m.next(t).Code
		return m.p.Fault != WeakLocked && c != Load && c != Store && c != StoreR
	case trace.OpEnd, trace.OpYield:
		return false
	case trace.OpNone:
		return m.p.Fault != WeakFence
	default:
		return true
	}
}

// flushed is how many updates the event at which thread t stands comes after.
func (m *Machine) flushed(t int) int {
	if !m.p.Buffers {
		return 0
	}
	if m.waitsForAll(t) {
		return m.count(t, bPushed)
	}
	if in := m.next(t); in != nil && in.Code == Load && m.p.Fault == PartsWait && m.w[t*threadLen+wBug] == 0 {
		a := m.access(t, in)
		if n, whole := m.answer(t, int(a.Addr)-memBase, int(a.Size)); n >= 0 && !whole {
			return n + 1
		}
	}
	return 0
}

// pieces appends load a of thread t, cut where its bytes have different answers.
func (m *Machine) pieces(t int, a trace.Access, dst []trace.Access) []trace.Access {
	at, last := int(a.Addr)-memBase, -2
	if _, whole := m.answer(t, at, int(a.Size)); whole || m.p.Fault == NoForward {
		return append(dst, a)
	}
	if m.p.Fault == OnePiece {
		if n, _ := m.answer(t, at, int(a.Size)); n >= m.count(t, bUpdated) {
			a.Flags |= trace.Buffered
		}
		return append(dst, a)
	}
	for i := range int(a.Size) {
		n, _ := m.answer(t, at+i, 1)
		if n == last {
			dst[len(dst)-1].Size++
			continue
		}
		last = n
		p := a
		p.Addr, p.Size = uint64(memBase+at+i), 1
		if n >= 0 && n >= m.count(t, bUpdated) {
			p.Flags |= trace.Buffered
		}
		dst = append(dst, p)
	}
	return dst
}

// push puts a store into thread t's buffer.
func (m *Machine) push(t, at, size int, v int64) {
	n := m.count(t, bPushed)
	if n == maxStores {
		panic("model: a thread with too many stores")
	}
	for i, w := range []int64{int64(at), int64(size), v} {
		m.set(m.entry(t, n)+i, w)
	}
	m.set(m.buf+t*bufferLen+bPushed, int64(n+1))
	if m.spins {
		m.set(t*threadLen+wDirty, 1)
		m.set(t*threadLen+wSum, 1<<60)
	}
}

// forwarded is the answer of thread t's buffer to a load, if one store of it has all bytes.
func (m *Machine) forwarded(t, at, size int) (v int64, ok bool) {
	n, whole := m.answer(t, at, size)
	if m.p.Fault == NoForward || !whole || n < m.count(t, bUpdated) {
		return 0, false
	}
	e := m.entry(t, n)
	v = m.w[e+2] >> (8 * (at - int(m.w[e])))
	if size < 8 {
		v &= 1<<(8*size) - 1
	}
	return v, true
}

// seen is the value that a load of thread t finds, byte by byte.
func (m *Machine) seen(t, at, size int) (v int64) {
	for i := range size {
		b, ok := m.forwarded(t, at+i, 1)
		if _, whole := m.answer(t, at, size); !ok || !whole && m.p.Fault == PartsMissed {
			b = m.peek(at+i, 1)
		}
		v |= b << (8 * i)
	}
	return v
}

// oldest is the access that the next update of thread t's buffer makes.
func (m *Machine) oldest(t int) (a trace.Access, v int64) {
	n := m.count(t, bUpdated)
	if m.p.Fault == NewestFirst {
		n = m.count(t, bPushed) - 1 - (n - m.count(t, bDrained))
		n = max(n, m.count(t, bDrained))
	}
	e := m.entry(t, n)
	a = trace.Access{Addr: uint64(memBase + m.w[e]), Size: uint32(m.w[e+1]), Insn: 1, Flags: trace.Write}
	if m.p.Fault == NoConflict {
		a.Flags = 0
	}
	return a, m.w[e+2]
}

// buffersThreads appends those that write buffers to memory.
func (m *Machine) buffersThreads(dst []trace.Thread) []trace.Thread {
	for t := range m.p.Threads {
		if m.p.Buffers && !m.empty(t) {
			a, _ := m.oldest(t)
			dst = append(dst, trace.Thread{ID: trace.TID(len(m.p.Threads) + t), Outcomes: 1, Next: !m.p.Lazy, Updates: true, Of: trace.TID(t),
				Pending: trace.Op{Kind: trace.OpAccess}, PendingAccess: a, Beside: m.beside(t, trace.OpStored)})
		}
	}
	for c := range m.p.Threads {
		for t := range m.p.Threads {
			if m.count(t, bAsked)>>c&1 == 0 {
				continue
			}
			d := trace.Thread{ID: m.drain(c, t), Outcomes: 1, Next: !m.p.Lazy, Updates: true, Of: trace.TID(t), Pending: trace.Op{Kind: trace.OpDrained, Obj: uint64(t)}}
			if !m.empty(t) || m.p.Fault == OneMoment && !m.allEmpty() {
				d.Status, d.Outcomes = trace.Blocked, 0
			}
			dst = append(dst, d)
		}
	}
	return dst
}

// allEmpty reports whether all buffers are.
func (m *Machine) allEmpty() bool {
	for t := range m.p.Threads {
		if !m.empty(t) {
			return false
		}
	}
	return true
}

// update is a step of thread t's buffer.
func (m *Machine) update(t int, x *trace.Transition) {
	a, v := m.oldest(t)
	n := m.count(t, bUpdated)
	at := int(a.Addr) - memBase
	if m.spins {
		m.set(m.clock, m.w[m.clock]+1)
	}
	for i := range int(a.Size) {
		if m.spins {
			m.set(m.ver+at+i, m.w[m.clock]<<8|int64(t))
		}
		m.set(m.mem+at+i, v>>(8*i)&0xff)
	}
	m.set(m.buf+t*bufferLen+bUpdated, int64(n+1))
	x.Updates, x.Of = true, trace.TID(t)
	x.Begin, x.Last = uint64(n), uint64(n+1)
	x.Accesses = append(x.Accesses, a)
	m.did(x, t, trace.OpStored)
}

// Ended says which threads have.
func (m *Machine) Ended() (list []bool) {
	for t := range m.p.Threads {
		list = append(list, m.w[t*threadLen+wState] == exited)
	}
	return list
}

// Registers are those of all threads, and Memory is what has been written there.
func (m *Machine) Registers() [][NumRegs]int64 {
	regs := make([][NumRegs]int64, len(m.p.Threads))
	for t := range regs {
		copy(regs[t][:], m.w[t*threadLen+wRegs:])
	}
	return regs
}

func (m *Machine) Memory() []byte {
	mem := make([]byte, m.p.Bytes)
	for i := range mem {
		mem[i] = byte(m.w[m.mem+i])
	}
	return mem
}
