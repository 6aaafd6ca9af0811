package model

import "landgo/internal/trace"

// Words that threads store to, and that no step reads (por.Overwriter).

// Unread implements por.Overwriter.
func (m *Machine) Unread(on bool) {
	m.unreading, m.surveyed = on && !m.p.Coarse && !m.p.Merge && !m.p.Buffers, false
}

// Unheeded has m's states leave out the words that o has found to be read by nothing. told: a step that
// reads such a word is told.
func (m *Machine) Unheeded(o *Machine, told bool) {
	m.stored, m.read, m.unreading, m.surveyed, m.judging = o.stored, o.read, told, true, true
}

// Stored says how many such words there are.
func (m *Machine) Stored() (n int) {
	for w := range m.stored {
		if !m.read[w] {
			n++
		}
	}
	return n
}

// words calls f for the words of an access.
func words(a *trace.Access, f func(w uint64)) {
	for w := a.Addr / 8; w <= (a.Addr+uint64(a.Size)-1)/8; w++ {
		f(w)
	}
}

// only reports whether all words of an access are such words.
func (m *Machine) only(a *trace.Access) bool {
	all := true
	words(a, func(w uint64) { all = all && m.stored[w] && !m.read[w] })
	return all
}

// storesOnly reports whether an instruction stores, and doesn't use what was there.
func storesOnly(in *Instr) bool { return in.Code == Store || in.Code == StoreR || in.Code == Swap }

// unorder marks an access that stores to such words alone.
func (m *Machine) unorder(in *Instr, a *trace.Access) {
	switch {
	case !m.unreading || !storesOnly(in) || !m.only(a):
	case in.Code == Swap:
		a.SetBlend(trace.BlendStore)
	default:
		a.Flags |= trace.Unordered
	}
}

// reads takes in an access of a step, or one that a thread stands before: does it read such a word?
func (m *Machine) reads(in *Instr, a *trace.Access) (news bool) {
	if m.unreading && !storesOnly(in) && !(m.p.Careless && !m.judging) {
		words(a, func(w uint64) {
			if m.stored[w] && !m.read[w] {
				m.read[w], news = true, true
			}
		})
	}
	return news
}

// Overwritten implements por.Overwriter.
func (m *Machine) Overwritten() (news bool) {
	if !m.unreading {
		return false
	}
	for t := range m.p.Threads {
		if m.w[t*threadLen+wState] == alive && m.op(t).Kind == trace.OpAccess && m.w[t*threadLen+wBug] == 0 {
			in := m.next(t)
			a := m.access(t, in)
			news = m.reads(in, &a) || news
		}
	}
	if m.surveyed {
		return news
	}
	m.surveyed = true
	by, reads := map[uint64]trace.TID{}, map[uint64]bool{}
	several := map[uint64]bool{}
	for i := range m.nstep {
		x := &m.steps[i]
		for k := range x.Accesses {
			a := &x.Accesses[k]
			words(a, func(w uint64) {
				t, ok := by[w]
				several[w] = several[w] || ok && t != x.Thread
				by[w] = x.Thread
				reads[w] = reads[w] || !storesOnly(&m.p.Threads[x.Thread][a.PC])
			})
		}
	}
	for w := range several {
		if !reads[w] && !m.stored[w] {
			m.stored[w], news = true, true
		}
	}
	return news
}
