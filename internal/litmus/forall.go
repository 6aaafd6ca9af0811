package litmus

import "slices"

// A fence for all threads (membarrier) takes a while. It begins; then the buffer of each
// thread is empty at some moment; it ends. The moments are the threads' own.

// asks begins a fence for all by thread t, or ends it. It reports whether that was possible.
func (m *Machine) asks(t int) bool {
	c := &m.cores[t]
	if len(c.buffer) > 0 || slices.Contains(c.awaits, true) {
		return false
	}
	if c.called = !c.called; !c.called {
		c.awaits = nil
		c.pc++
		return true
	}
	c.awaits = make([]bool, len(m.cores))
	for u := range m.cores {
		c.awaits[u] = len(m.cores[u].buffer) > 0
	}
	return true
}

// emptied notes that thread t's buffer is empty.
func (m *Machine) emptied(t int) {
	for u := range m.cores {
		if c := &m.cores[u]; c.awaits != nil {
			c.awaits = slices.Clone(c.awaits)
			c.awaits[t] = false
		}
	}
}

// ForAll are the tests with a fence for all in one thread, between its first access and the next,
// and no other fences. There is one for each thread that has two accesses.
func (t *Test) ForAll() (all []*Test) {
	for by := range t.Program.Threads {
		p := &Program{Memory: t.Program.Memory}
		for th, code := range t.Program.Threads {
			code = slices.DeleteFunc(slices.Clone(code), func(x Insn) bool { return x.Kind == Fence })
			if th == by && len(code) > 1 {
				code = slices.Insert(code, 1, Insn{Kind: FenceAll})
			}
			p.Threads = append(p.Threads, code)
		}
		if code := p.Threads[by]; len(code) > 1 {
			all = append(all, &Test{Cycle: t.Cycle, Program: p, Locations: t.Locations, loads: t.loads})
		}
	}
	return all
}

// Unfenced is the test's program without fences for all.
func (t *Test) Unfenced() *Program {
	p := &Program{Memory: t.Program.Memory}
	for _, code := range t.Program.Threads {
		p.Threads = append(p.Threads, slices.DeleteFunc(slices.Clone(code), func(x Insn) bool { return x.Kind == FenceAll }))
	}
	return p
}
