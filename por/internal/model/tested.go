package model

import "landgo/internal/trace"

// Test implements por.Tester.
func (m *Machine) Test(on bool) { m.testing = on && m.blending }

// sideOf notes on which side of a number an addition has found its count, if it has no other blend.
func (m *Machine) sideOf(x *trace.Transition, a *trace.Access, added, pivot, old int64) {
	n := 64 - 8*a.Size
	signed := func(v int64) int64 { return v << n >> n }
	if !m.testing || a.Blends() != trace.NoBlend || m.between[a.Addr] {
		return
	}
	if m.awaiting {
		for in := range m.lookers(a) {
			if m.p.Backs || !m.canAwait(in) {
				return
			}
		}
	}
	blend, more := trace.TestedAddition(a.Size, signed(added), signed(pivot), signed(old))
	a.SetBlend(blend)
	x.More = more
}

// hear reports whether a thread that awaits could go on with a number between additions that commute.
// Then these have all their orders from now on.
func (m *Machine) hear() (news bool) {
	if !m.testing || !m.awaiting {
		return false
	}
	for t := range m.p.Threads {
		if m.w[t*threadLen+wState] != alive || !m.awaits(t) || m.triesAt(t) || m.hintAt(t) != nil {
			continue
		}
		a := m.access(t, m.next(t))
		var before trace.Blend // of the write that came next
		var first int64        // what was there before that
		run, goes := 0, false
		m.earlier(int(a.Addr)-memBase, int(a.Size), func(step int, v int64) {
			b := m.steps[step].BlendOf(&a)
			if run++; !b.Commutes(before) {
				run = 1
			}
			goes = goes || run == 2 && !m.wouldPoll(t, &a, first) || run > 1 && !m.wouldPoll(t, &a, v)
			before, first = b, v
		})
		if goes && !m.between[a.Addr] {
			m.between[a.Addr], news = true, true
		}
	}
	return news
}

// Between takes over which counters have additions that are told apart.
func (m *Machine) Between(o *Machine) { m.between = o.between }
