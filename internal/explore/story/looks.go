package story

import "landgo/internal/trace"

// looksAgain reports whether a thread that waited in a beat, and goes on in another, tests
// again what it tested before it waited. A compiler may have made two tests of a loop's
// one: so it is asked whether the code has a loop around the wait. Where that loop has
// other calls, or the test isn't in the function that waits, a read on the line of the test
// counts.
func (st *Story) looksAgain(t trace.TID, wait, goesOn int, test at) bool {
	tested := st.AccessAt(test)
	if st.visits(t, goesOn, tested.PC) {
		return true
	}
	pc := st.waitsAt(t, wait)
	of, _ := st.Image.SymbolAt(tested.PC)
	if in, ok := st.Image.SymbolAt(pc); ok && in.Addr == of.Addr {
		plain, calling := st.Again(pc)
		if plain || !calling {
			return plain
		}
	}
	line := where(st.shown(test).Stack)
	for x, a := range st.Forward(t, at{Beat: goesOn}) {
		if a.Overlaps(tested) {
			return !a.IsWrite() && where(st.shown(x).Stack) == line
		}
	}
	return false
}

// waitsAt is where a thread's wait in a beat returns to, 0 if it has none there.
func (st *Story) waitsAt(t trace.TID, beat int) (pc uint64) {
	for k := range st.Beats[beat].Ops {
		if o := &st.Beats[beat].Ops[k]; o.Kind == trace.OpCondWait && st.Beats[beat].Step.Thread == t {
			pc = o.PC
		}
	}
	return pc
}

// visits reports whether a thread makes an access at an instruction, from a beat on.
func (st *Story) visits(t trace.TID, from int, pc uint64) bool {
	for _, a := range st.Forward(t, at{Beat: from}) {
		if a.PC == pc {
			return true
		}
	}
	return false
}
