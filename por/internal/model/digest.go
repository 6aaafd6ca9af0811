package model

import "landgo/internal/trace"

// Digest implements por.Hasher: everything in the machine's state that a later step
// depends on. It leaves out how many instructions a thread has run, when its reads were
// made, and which thread wrote last. All that matters of the last is whether another
// thread has written since.
func (m *Machine) Digest() (trace.Digest, error) {
	h := trace.NewHash()
	for t := range m.p.Threads {
		b := t * threadLen
		for _, i := range []int{wPC, wState, wQueue, wPhase, wBug} {
			h.Word(uint64(m.w[b+i]))
		}
		m.hash(&h, b+wRegs, NumRegs)
		if m.p.Budget > 0 {
			h.Word(uint64(m.w[b+wDone]))
		}
		if m.spins {
			m.hashLoop(&h, t)
		}
	}
	if m.p.Buffers && m.p.Fault != UnhashedBuffers {
		for t := range m.p.Threads {
			m.hashBuffer(&h, t)
		}
	}
	m.hash(&h, m.mem, m.p.Bytes)
	m.hash(&h, m.mutex, m.faults-m.mutex)
	if !m.p.Forgetful {
		m.hash(&h, m.faults, 1)
	}
	return h.Sum(), nil
}

// hashBuffer adds what is in a thread's buffer.
func (m *Machine) hashBuffer(h *trace.Hash, t int) {
	from, to := m.count(t, bUpdated), m.count(t, bPushed)
	h.Words(uint64(to-from), trace.Bit(to > m.count(t, bDrained)), uint64(m.count(t, bAsked)))
	m.hash(h, m.entry(t, from), 3*(to-from))
}

func (m *Machine) hash(h *trace.Hash, at, n int) {
	for _, v := range m.w[at : at+n] {
		h.Word(uint64(v))
	}
}

// hashLoop adds what is known of the loop that a thread may be in.
func (m *Machine) hashLoop(h *trace.Hash, t int) {
	b := t * threadLen
	for _, i := range []int{wHead, wHolds, wDirty, wReads, wSpin} {
		h.Word(uint64(m.w[b+i]))
	}
	if m.p.SpinInSum {
		h.Word(uint64(m.w[b+wSum]))
	}
	m.hash(h, b+wHeadRegs, NumRegs)
	for i := 0; i < int(m.w[b+wReads]); i++ {
		as, seen := m.w[b+wRead+2*i], m.w[b+wRead+2*i+1]
		changed := uint64(0)
		for k := int64(0); k < as&0xff; k++ {
			if v := m.w[m.ver+int(as>>8+k)]; v>>8 > seen && v&0xff != int64(t) {
				changed |= 1 << k
			}
		}
		h.Words(uint64(as), changed)
	}
}
