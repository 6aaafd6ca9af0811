package model

import (
	"slices"

	"landgo/internal/trace"
)

// Symmetry implements por.Symmetric: threads 1 to Program.Alike take their first steps in the
// order of their numbers, in which they are created.
func (m *Machine) Symmetry(on bool) {
	m.alike = on && m.p.Alike > 1 && !m.p.Coarse && !m.p.Merge && !m.p.Buffers
}

// begun reports whether thread t has taken a step.
func (m *Machine) begun(t int) bool {
	b := t * threadLen
	return m.w[b+wDone] > 0 || m.w[b+wPhase] != 0 || m.w[b+wQueue] != 0 || m.w[b+wState] == exited
}

// waits reports whether thread t waits for the one before it to begin.
func (m *Machine) waits(t int) bool {
	return m.alike && t > 1 && t <= m.p.Alike && !m.begun(t) && !m.begun(t-1)
}

// frees is the thread that the first step of thread t lets go on, 0 for none.
func (m *Machine) frees(t int) trace.TID {
	if next := t + 1; t > 0 && next <= m.p.Alike && m.w[next*threadLen+wState] != notYet && m.waits(next) {
		return trace.TID(next)
	}
	return 0
}

// AlikeState is State, the same for two states in which threads that are alike have changed
// places. A thread that joins them stands before the first join.
func (m *Machine) AlikeState() uint64 {
	n := len(m.p.Threads)
	local := make([]uint64, n)
	for t := range n {
		b := t * threadLen
		h := trace.NewHash()
		pc := int(m.w[b+wPC])
		for m.w[b+wState] == alive && pc > 0 && pc <= len(m.p.Threads[t]) && m.joins(t, pc-1) {
			pc--
		}
		queue := m.w[b+wQueue]
		h.Words(uint64(pc), uint64(m.w[b+wState]), uint64(queue), uint64(m.w[b+wBug]))
		for _, r := range m.w[b+wRegs : b+wRegs+NumRegs] {
			h.Word(uint64(r))
		}
		local[t] = h.Sum()[0]
	}
	h := trace.NewHash()
	group := slices.Clone(local[1:min(1+m.p.Alike, n)])
	slices.Sort(group)
	h.Words(local[0])
	h.Words(group...)
	h.Words(local[min(1+m.p.Alike, n):]...)
	h.Text(string(m.Memory()))
	owner := func(v int64) uint64 {
		if v == 0 {
			return 0
		}
		return local[v-1]
	}
	for i := m.mutex; i < m.cond; i++ {
		h.Words(owner(m.w[i]&0xff), uint64(m.w[i]>>8))
	}
	for i := m.sem; i < m.rw; i++ {
		h.Word(uint64(m.w[i]))
	}
	return h.Sum()[0]
}

// joins reports whether an instruction of thread t joins one of those that are alike.
func (m *Machine) joins(t, pc int) bool {
	in := &m.p.Threads[t][pc]
	return in.Code == Join && in.A <= m.p.Alike
}
