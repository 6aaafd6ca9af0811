package story

import (
	"fmt"

	"landgo/internal/trace"
)

// The last element of a queue with two ends, as in work stealing. Its owner takes at one end and
// moves one index down; a thief takes at the other and moves another index up.

// move is how a thread moves an index: what it finds there, and what it writes.
type move struct{ found, made at }

// lastTwice: two threads take an element, each by an index that only it moves, and neither sees that
// the other one's index has moved.
func (st *Story) lastTwice() string {
	down, up := st.moves()
	for _, d := range down {
		for _, u := range up {
			if text := st.takenTwice(d, u); text != "" {
				return text
			}
		}
	}
	return ""
}

// mostMoves is how many moves of indices lastTwice looks at, the last ones of a run.
const mostMoves = 16

// moves are the writes that make what their thread has found one less, and one more.
func (st *Story) moves() (down, up []move) {
	for i := len(st.beats) - 1; i >= 0; i-- {
		for k := len(st.beats[i].accesses) - 1; k >= 0; k-- {
			made := at{i, k}
			a := st.accessAt(made)
			if !a.IsWrite() || a.Addr < lowestVariable {
				continue
			}
			found := st.lastOf(st.maker(made), made, a)
			if found.beat < 0 || st.accessAt(found).IsWrite() || st.accessAt(found).Addr != a.Addr || st.accessAt(found).Size != a.Size {
				continue
			}
			switch st.rawAt(made) {
			case st.rawAt(found) - 1:
				down = append(down, move{found, made})
			case st.rawAt(found) + 1:
				up = append(up, move{found, made})
			}
			if len(down)+len(up) == mostMoves {
				return down, up
			}
		}
	}
	return down, up
}

func (st *Story) takenTwice(d, u move) string {
	owner, thief := st.maker(d.made), st.maker(u.made)
	bottom, top := st.accessAt(d.made), st.accessAt(u.made)
	// One element is between the two ends.
	left := st.rawAt(d.found) - st.rawAt(u.found)
	if owner == thief || bottom.Overlaps(top) || left > 1 || len(common(st.held(d.made), st.held(u.made))) > 0 {
		return ""
	}
	// Each has looked at the other's index before that moved, and doesn't look again.
	mine, its := st.lastOf(owner, u.made, top), st.lastOf(thief, d.made, bottom)
	if mine.beat < 0 || its.beat < 0 || st.accessAt(mine).IsWrite() || st.accessAt(its).IsWrite() || st.rawAt(mine) != st.rawAt(u.found) || st.rawAt(its) != st.rawAt(d.found) {
		return ""
	}
	x, y, ok := st.sameElement(owner, thief, first(mine, d.found), first(its, u.found), bottom, top)
	if !ok {
		return ""
	}
	e, f := st.shown(x.beat, x.access), st.shown(y.beat, y.access)
	b, t := st.shown(d.made.beat, d.made.access), st.shown(u.made.beat, u.made.access)
	o, h := st.shown(mine.beat, mine.access), st.shown(its.beat, its.access)
	for _, a := range []string{e.Symbol, b.Symbol, t.Symbol, where(e.Stack), where(f.Stack), where(b.Stack), where(t.Stack), where(o.Stack), where(h.Stack)} {
		if a == "" {
			return ""
		}
	}
	return fmt.Sprintf("Threads %s and %s both take %s (%s), the last element. Thread %s looks at %s (%s) and moves %s (%s), thread %s looks at %s (%s) and moves %s (%s): neither sees the other's move. Let both claim the last element by a compare-exchange of %s, or hold one lock over look and move.",
		e.Thread, f.Thread, e.Name(), lines(e, f), e.Thread, t.Name(), where(o.Stack), b.Name(), where(b.Stack), f.Thread, b.Name(), where(h.Stack), t.Name(), where(t.Stack), t.Name())
}

// sameElement is where two threads, from a place on, read the same that isn't an index. No thread
// writes it after the first of these places.
func (st *Story) sameElement(t, u trace.TID, from, its at, bottom, top *trace.Access) (x, y at, ok bool) {
	n := 0
	for x, a := range st.forward(t, from) {
		if n++; n > mostMoves {
			break
		}
		if a.IsWrite() || a.Addr < lowestVariable || a.Overlaps(bottom) || a.Overlaps(top) || st.writtenFrom(first(from, its), a) {
			continue
		}
		m := 0
		for y, o := range st.forward(u, its) {
			if m++; m > mostMoves {
				break
			}
			if !o.IsWrite() && o.Addr == a.Addr && o.Size == a.Size {
				return x, y, true
			}
		}
	}
	return x, y, false
}

// writtenFrom reports whether any thread writes some of an access's bytes from a place on.
func (r *record) writtenFrom(from at, a *trace.Access) bool {
	for i := from.beat; i < len(r.beats); i++ {
		for k := range r.beats[i].accesses {
			if o := &r.beats[i].accesses[k]; o.IsWrite() && o.Overlaps(a) && !(at{i, k}).before(from) {
				return true
			}
		}
	}
	return false
}

func first(x, y at) at {
	if y.before(x) {
		return y
	}
	return x
}
