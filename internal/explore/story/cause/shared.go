package cause

import (
	"slices"

	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// What the kinds of mistakes share.

// where is the place of a stack for a person, "" if no line says it.
func where(stack []result.Frame) string { f := result.Innermost(stack); return f.Where() }

// lines are the places of two accesses: one, if they are on one line.
func lines(x, y result.Access) string {
	if where(x.Stack) == where(y.Stack) {
		return where(x.Stack)
	}
	return where(x.Stack) + ", " + where(y.Stack)
}

// writesAt reports whether a thread's access is a write, or the read that one on the same
// line begins with.
func (cs *Case) writesAt(t trace.TID, x at) bool {
	first := cs.AccessAt(x)
	line := where(cs.Shown(x).Stack)
	for y, a := range cs.Forward(t, x) {
		if a.Addr == first.Addr && a.IsWrite() {
			return where(cs.Shown(y).Stack) == line
		}
	}
	return false
}

// unlocked is where a thread unlocked a lock between two accesses, or "".
func (cs *Case) unlocked(t trace.TID, lock string, before, after at) string {
	for i := before.Beat; i <= after.Beat && i < len(cs.Beats); i++ {
		for k := range cs.Beats[i].Ops {
			o := &cs.Beats[i].Ops[k]
			early := i == before.Beat && int(o.At) <= before.Access
			late := i == after.Beat && int(o.At) > after.Access
			if record.Unlocks(o) && !early && !late && cs.Beats[i].Step.Thread == t && cs.guest.VariableName(o.Obj) == lock {
				return cs.Place(call{Beat: i, Op: o})
			}
		}
	}
	return ""
}

// common are the locks of both lists.
func common(a, b []string) (list []string) {
	for _, l := range a {
		if slices.Contains(b, l) {
			list = append(list, l)
		}
	}
	return list
}
