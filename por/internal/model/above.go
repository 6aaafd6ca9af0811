package model

import "landgo/internal/trace"

// site is an addition that is tested: its thread, its place and its bytes.
type site struct {
	thread, pc int
	addr       uint64
}

// tally is an addition of the present execution.
type tally struct {
	step  int
	site  site
	count trace.Count
}

// Count implements por.Counter.
func (m *Machine) Count(on bool) { m.counting = on && m.blending }

func (m *Machine) site(t int, a *trace.Access) site {
	return site{t, int(m.w[t*threadLen+wPC]), a.Addr}
}

// tally notes an addition that blends, to bytes that held old.
func (m *Machine) tally(t int, in *Instr, a *trace.Access, old int64) {
	if !m.counting || a.Blends() != trace.BlendAdd {
		return
	}
	n := 64 - 8*a.Size
	c := trace.Count{Addr: a.Addr, Size: a.Size, Before: old << n >> n, Added: in.C << n >> n}
	if in.Code == AddTest {
		c.Least = max(1, 1-c.Added)
	}
	k := tally{m.nstep - 1, m.site(t, a), c}
	m.tallies = append(m.tallies, k)
	if m.AtOnce && c.Least > 0 && !c.Holds(c.Before, c.Before) {
		m.giveUp(&k)
	}
}

func (m *Machine) giveUp(k *tally) {
	if !m.below[k.site] {
		m.below[k.site], m.Finer = true, trace.ErrFiner
	}
}

// Counts implements por.Counter.
func (m *Machine) Counts(f func(back int, c *trace.Count)) {
	for i := len(m.tallies) - 1; i >= 0; i-- {
		f(m.nstep-1-m.tallies[i].step, &m.tallies[i].count)
	}
}

// Uncount implements por.Counter. The search begins again by itself.
func (m *Machine) Uncount(back int) {
	was := m.Finer
	for i := range m.tallies {
		if m.tallies[i].step == m.nstep-1-back {
			m.giveUp(&m.tallies[i])
		}
	}
	m.Finer = was
}

// Below takes over which additions o has found to be told apart.
func (m *Machine) Below(o *Machine) { m.below = o.below }
