package story

import "landgo/internal/trace"

// looksAgain reports whether a thread that waited in a beat, and goes on in another, tests
// again what it tested before it waited. A compiler may have made two tests of a loop's
// one: so it is asked whether the code has a loop around the wait. Where that loop has
// other calls, or the test isn't in the function that waits, a read on the line of the test
// counts.
func (st *Story) looksAgain(t trace.TID, wait, goesOn int, test at) bool {
	tested := st.accessAt(test)
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
	line := where(st.shown(test.beat, test.access).Stack)
	for x, a := range st.forward(t, at{beat: goesOn}) {
		if a.Overlaps(tested) {
			return !a.IsWrite() && where(st.shown(x.beat, x.access).Stack) == line
		}
	}
	return false
}

// waitsAt is where a thread's wait in a beat returns to, 0 if it has none there.
func (st *Story) waitsAt(t trace.TID, beat int) (pc uint64) {
	for k := range st.beats[beat].ops {
		if o := &st.beats[beat].ops[k]; o.Kind == trace.OpCondWait && st.beats[beat].step.Thread == t {
			pc = o.PC
		}
	}
	return pc
}

// visits reports whether a thread makes an access at an instruction, from a beat on.
func (st *Story) visits(t trace.TID, from int, pc uint64) bool {
	for _, a := range st.forward(t, at{beat: from}) {
		if a.PC == pc {
			return true
		}
	}
	return false
}
