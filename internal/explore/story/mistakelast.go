package story

import (
	"fmt"

	"landgo/internal/explore/story/record"
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
	for i := len(st.Beats) - 1; i >= 0; i-- {
		for k := len(st.Beats[i].Accesses) - 1; k >= 0; k-- {
			made := at{Beat: i, Access: k}
			a := st.AccessAt(made)
			if !a.IsWrite() || a.Addr < record.LowestVariable {
				continue
			}
			found := st.LastOf(st.Maker(made), made, a)
			if found.Beat < 0 || st.AccessAt(found).IsWrite() || st.AccessAt(found).Addr != a.Addr || st.AccessAt(found).Size != a.Size {
				continue
			}
			switch st.RawAt(made) {
			case st.RawAt(found) - 1:
				down = append(down, move{found, made})
			case st.RawAt(found) + 1:
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
	owner, thief := st.Maker(d.made), st.Maker(u.made)
	bottom, top := st.AccessAt(d.made), st.AccessAt(u.made)
	// One element is between the two ends.
	left := st.RawAt(d.found) - st.RawAt(u.found)
	if owner == thief || bottom.Overlaps(top) || left > 1 || len(common(st.Held(d.made), st.Held(u.made))) > 0 {
		return ""
	}
	// Each has looked at the other's index before that moved, and doesn't look again.
	mine, its := st.LastOf(owner, u.made, top), st.LastOf(thief, d.made, bottom)
	if mine.Beat < 0 || its.Beat < 0 || st.AccessAt(mine).IsWrite() || st.AccessAt(its).IsWrite() || st.RawAt(mine) != st.RawAt(u.found) || st.RawAt(its) != st.RawAt(d.found) {
		return ""
	}
	x, y, ok := st.sameElement(owner, thief, first(mine, d.found), first(its, u.found), bottom, top)
	if !ok {
		return ""
	}
	e, f := st.shown(x), st.shown(y)
	b, t := st.shown(d.made), st.shown(u.made)
	o, h := st.shown(mine), st.shown(its)
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
	for x, a := range st.Forward(t, from) {
		if n++; n > mostMoves {
			break
		}
		if a.IsWrite() || a.Addr < record.LowestVariable || a.Overlaps(bottom) || a.Overlaps(top) || st.WrittenFrom(first(from, its), a) {
			continue
		}
		m := 0
		for y, o := range st.Forward(u, its) {
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

func first(x, y at) at {
	if y.Before(x) {
		return y
	}
	return x
}
