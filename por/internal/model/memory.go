package model

import (
	"landgo/internal/trace"
)

// access is the access that memory instruction in of thread t makes.
func (m *Machine) access(t int, in *Instr) trace.Access {
	size := in.Size
	if size == 0 {
		size = 8
	}
	a := trace.Access{Addr: uint64(memBase + m.index(t, in)), PC: uint64(m.w[t*threadLen+wPC]), Size: uint32(size), Insn: 1}
	switch in.Code {
	case Store, StoreR:
		a.Flags = trace.Write
	case Swap:
		if a.Flags = trace.Write | trace.RMW | trace.Atomic; m.overwrites {
			a.SetBlend(trace.BlendStore)
		}
	case FetchAdd, Exchange, CompareEx, CompareXR, CasAdd, CasSet:
		if a.Flags = trace.Write | trace.RMW | trace.Atomic; m.blending && m.p.Careless && in.Code == FetchAdd {
			a.SetBlend(trace.BlendAdd)
		}
	case AddTest:
		if a.Flags = trace.Write | trace.RMW | trace.Atomic; m.counting && in.D == 0 && !m.below[m.site(t, &a)] && !(m.awaiting && m.awaited(&a)) {
			a.SetBlend(trace.BlendAdd)
		}
	case Add, And, Or, Xor:
		if a.Flags = trace.Write | trace.RMW | trace.Atomic; m.blending && !(m.awaiting && m.awaited(&a)) {
			a.SetBlend(trace.BlendAdd + trace.Blend(in.Code-Add))
		}
	}
	m.unorder(in, &a)
	if compares(in) && m.peek(int(a.Addr)-memBase, size) != m.expects(t, in) {
		a.Flags = trace.Atomic | trace.FailedCAS
	}
	if m.p.Buffers {
		switch in.Code {
		case Store, StoreR:
			a.Flags |= trace.Buffered
		case Load:
			if _, ok := m.forwarded(t, int(a.Addr)-memBase, size); ok {
				a.Flags |= trace.Buffered
			}
		}
	}
	return a
}

// peek is the value that a load would find.
func (m *Machine) peek(a, size int) (v int64) {
	for i := range size {
		v |= m.w[m.mem+a+i] << (8 * i)
	}
	return v
}

// store writes size bytes at a for thread t.
func (m *Machine) store(t, a, size int, v int64, x *trace.Access) {
	b := t * threadLen
	silent := true
	calm := m.p.Calm && v&(1<<(8*size)-1) == m.peek(a, size)&(1<<(8*size)-1)
	if m.spins {
		m.set(m.clock, m.w[m.clock]+1)
	}
	for i := 0; i < size; i++ {
		nb, ob := v>>(8*i)&0xff, m.w[m.mem+a+i]
		silent = silent && nb == ob
		if m.spins {
			m.set(b+wSum, m.w[b+wSum]+(nb-ob)<<(8*uint(i)))
			if !calm {
				m.set(m.ver+a+i, m.w[m.clock]<<8|int64(t))
			}
		}
		m.set(m.mem+a+i, nb)
	}
	if silent {
		x.Flags |= trace.Silent
	} else if m.spins {
		m.set(b+wDirty, 1)
	}
}

func (m *Machine) load(t, a, size int) (v int64) {
	v = m.peek(a, size)
	if m.p.Buffers {
		v = m.seen(t, a, size)
	}
	if b := t * threadLen; m.spins {
		if n := int(m.w[b+wReads]); n < maxReads {
			m.set(b+wRead+2*n, int64(a)<<8|int64(size))
			m.set(b+wRead+2*n+1, m.w[m.clock])
			m.set(b+wReads, int64(n+1))
		} else {
			m.set(b+wDirty, 1)
			m.set(b+wSum, 1<<60) // too long to be watched
		}
	}
	return v
}

// memory carries out a memory instruction.
func (m *Machine) memory(t int, in *Instr, x *trace.Transition) {
	x.Accesses = append(x.Accesses, m.access(t, in))
	a := &x.Accesses[len(x.Accesses)-1]
	at, size := int(a.Addr)-memBase, int(a.Size)
	r := t*threadLen + wRegs + in.R
	switch in.Code {
	case Load:
		if m.set(r, m.load(t, at, size)); m.p.Buffers {
			x.Accesses = m.pieces(t, *a, x.Accesses[:len(x.Accesses)-1])
		}
	case Store, StoreR:
		v := in.C
		if in.Code == StoreR {
			v += m.w[r]
		}
		if m.p.Buffers {
			m.push(t, at, size, v)
			m.did(x, t, trace.OpStores)
		} else {
			m.store(t, at, size, v, a)
		}
	case Swap:
		m.store(t, at, size, in.C, a)
	case Add:
		old := m.load(t, at, size)
		m.store(t, at, size, old+in.C, a)
		m.tally(t, in, a, old)
		m.sideOf(x, a, in.C, -1, old)
	case And:
		m.store(t, at, size, m.load(t, at, size)&in.C, a)
	case Or:
		m.store(t, at, size, m.load(t, at, size)|in.C, a)
	case Xor:
		m.store(t, at, size, m.load(t, at, size)^in.C, a)
	case AddTest:
		old := m.load(t, at, size)
		m.store(t, at, size, old+in.C, a)
		m.set(r, int64(b2i(m.peek(at, size) == in.D)))
		m.tally(t, in, a, old)
		m.sideOf(x, a, in.C, in.D-in.C, old)
	case FetchAdd, Exchange:
		old, v := m.load(t, at, size), in.C
		if in.Code == FetchAdd {
			v += old
		}
		m.store(t, at, size, v, a)
		m.set(r, old)
	case CasAdd, CasSet:
		old, v := m.load(t, at, size), in.C
		flag := t*threadLen + wRegs + int(in.D)
		if old != m.w[r] {
			m.set(r, old)
			m.set(flag, 0)
			break
		}
		if in.Code == CasAdd {
			v += old
		}
		m.store(t, at, size, v, a)
		m.set(flag, 1)
	case CompareEx, CompareXR:
		v := in.D
		if in.Code == CompareXR {
			v = m.w[t*threadLen+wRegs+int(in.D)]
		}
		if m.load(t, at, size) == in.C {
			m.store(t, at, size, v, a)
			m.set(r, 1)
		} else {
			m.set(r, 0)
		}
	}
}

// compares reports whether an instruction is a compare-and-exchange.
func compares(in *Instr) bool { return in.Code >= CompareEx && in.Code <= CasSet }

// expects is the value with which a compare-and-exchange works.
func (m *Machine) expects(t int, in *Instr) int64 {
	if in.Code == CasAdd || in.Code == CasSet {
		return m.w[t*threadLen+wRegs+in.R]
	}
	return in.C
}
