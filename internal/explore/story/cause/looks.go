package cause

import (
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// looksAgain reports whether a thread that waited in a beat, and goes on in another, tests
// again what it tested before it waited. A compiler may have made two tests of a loop's
// one: so it is asked whether the code has a loop around the wait. Where that loop has
// other calls, or the test isn't in the function that waits, a read on the line of the test
// counts.
func (cs *Case) looksAgain(t trace.TID, wait, goesOn int, test at) bool {
	tested := cs.AccessAt(test)
	if cs.visits(t, goesOn, test) {
		return true
	}
	pc := cs.waitsAt(t, wait)
	if cs.code.OneFunction(pc, tested.PC) {
		plain, calling := cs.code.Again(pc)
		if plain || !calling {
			return plain
		}
	}
	line := where(cs.Shown(test).Stack)
	for x, a := range cs.Forward(t, at{Beat: goesOn}) {
		if a.Overlaps(tested) {
			return !a.IsWrite() && where(cs.Shown(x).Stack) == line
		}
	}
	return false
}

// waitsAt is where a thread's wait in a beat returns to, 0 if it has none there.
func (cs *Case) waitsAt(t trace.TID, beat int) (pc uint64) {
	for k := range cs.Beats[beat].Ops {
		if o := &cs.Beats[beat].Ops[k]; o.Kind == trace.OpCondWait && cs.Beats[beat].Step.Thread == t {
			pc = o.PC
		}
	}
	return pc
}

// visits reports whether a thread makes an access at the instruction of another one, from a beat on.
// A function that both call isn't enough, as far as the callers are known.
func (cs *Case) visits(t trace.TID, from int, test at) bool {
	callers := func(x at) (list []result.Addr) {
		if stacks := cs.Beats[x.Beat].Stacks; stacks != nil {
			for _, f := range stacks[x.Access] {
				list = append(list, f.Address)
			}
		}
		return list
	}
	tested := callers(test)
	for x, a := range cs.Forward(t, at{Beat: from}) {
		if a.PC != cs.AccessAt(test).PC {
			continue
		}
		if its := callers(x); len(its) == 0 || len(tested) == 0 || slices.Equal(its, tested) {
			return true
		}
	}
	return false
}
