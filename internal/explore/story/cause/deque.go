package cause

import (
	"fmt"
	"iter"

	"landgo/internal/explore/story/record"
	"landgo/internal/trace"
)

// The last element of a queue with two ends, as in work stealing. Its owner takes at one end and
// moves one index down; a thief takes at the other and moves another index up.

// move is how a thread moves an index: what it finds there, and what it writes.
type move struct{ found, made at }

// lastTwice: two threads take an element, each by an index that only it moves, and neither sees that
// the other one's index has moved.
func (cs *Case) lastTwice() string {
	down, up := cs.moves()
	for _, d := range down {
		for _, u := range up {
			if text := cs.takenTwice(d, u); text != "" {
				return text
			}
		}
	}
	return ""
}

// mostMoves is how many moves of indices lastTwice looks at, the last ones of a run.
const mostMoves = 16

// moves are the writes that make what their thread has found one less, and one more.
func (cs *Case) moves() (down, up []move) {
	for i := len(cs.Beats) - 1; i >= 0; i-- {
		for k := len(cs.Beats[i].Accesses) - 1; k >= 0; k-- {
			made := at{Beat: i, Access: k}
			a := cs.AccessAt(made)
			if !a.IsWrite() || a.Addr < record.LowestVariable {
				continue
			}
			found := cs.LastOf(cs.Maker(made), made, a)
			if found.Beat < 0 || cs.AccessAt(found).IsWrite() || cs.AccessAt(found).Addr != a.Addr || cs.AccessAt(found).Size != a.Size {
				continue
			}
			switch cs.RawAt(made) {
			case cs.RawAt(found) - 1:
				down = append(down, move{found, made})
			case cs.RawAt(found) + 1:
				up = append(up, move{found, made})
			}
			if len(down)+len(up) == mostMoves {
				return down, up
			}
		}
	}
	return down, up
}

func (cs *Case) takenTwice(d, u move) string {
	owner, thief := cs.Maker(d.made), cs.Maker(u.made)
	bottom, top := cs.AccessAt(d.made), cs.AccessAt(u.made)
	// One element is between the two ends.
	left := cs.RawAt(d.found) - cs.RawAt(u.found)
	if owner == thief || bottom.Overlaps(top) || left > 1 || len(common(cs.Held(d.made), cs.Held(u.made))) > 0 {
		return ""
	}
	// Each has looked at the other's index before that moved, and doesn't look again.
	mine, its := cs.LastOf(owner, u.made, top), cs.LastOf(thief, d.made, bottom)
	if mine.Beat < 0 || its.Beat < 0 || cs.AccessAt(mine).IsWrite() || cs.AccessAt(its).IsWrite() || cs.RawAt(mine) != cs.RawAt(u.found) || cs.RawAt(its) != cs.RawAt(d.found) {
		return ""
	}
	x, y, ok := cs.sameElement(owner, thief, first(mine, d.found), first(its, u.found), bottom, top)
	if !ok {
		return ""
	}
	e, f := cs.Shown(x), cs.Shown(y)
	b, t := cs.Shown(d.made), cs.Shown(u.made)
	o, h := cs.Shown(mine), cs.Shown(its)
	for _, a := range []string{e.Symbol, b.Symbol, t.Symbol, where(e.Stack), where(f.Stack), where(b.Stack), where(t.Stack), where(o.Stack), where(h.Stack)} {
		if a == "" {
			return ""
		}
	}
	return fmt.Sprintf("Threads %s and %s both take %s (%s), the last element. Thread %s looks at %s (%s) and moves %s (%s), thread %s looks at %s (%s) and moves %s (%s): neither sees the other's move. Let both claim the last element by a compare-exchange of %s, or hold one lock over look and move.",
		e.Thread, f.Thread, e.Name(), lines(e, f), e.Thread, t.Name(), where(o.Stack), b.Name(), where(b.Stack), f.Thread, b.Name(), where(h.Stack), t.Name(), where(t.Stack), t.Name())
}

// sameElement is where two threads, from a place on, read the same that isn't an index. No thread
// writes it after the first of these places. Where that is a pointer, the element is what it leads to.
func (cs *Case) sameElement(t, u trace.TID, from, its at, bottom, top *trace.Access) (x, y at, ok bool) {
	begun := first(from, its)
	for x, a := range cs.soon(t, from) {
		if a.Overlaps(bottom) || a.Overlaps(top) || cs.WrittenFrom(begun, a) {
			continue
		}
		if y, ok := cs.readsSame(u, its, a); ok {
			x, y = cs.ledTo(t, u, x, y, begun, maxLeads)
			return x, y, true
		}
	}
	return x, y, false
}

// maxLeads is how many pointers ledTo follows.
const maxLeads = 4

// ledTo follows pointers that two threads both read to what both read by them, as far as they go.
func (cs *Case) ledTo(t, u trace.TID, x, y, begun at, depth int) (at, at) {
	if depth == 0 || uint64(cs.AccessAt(x).Size) != cs.code.Word() {
		return x, y
	}
	lastX, lastY := x, y
	for v, a := range cs.soon(t, x) {
		if !x.Before(v) || !cs.leadsTo(cs.RawAt(x), a.Addr) || cs.WrittenFrom(begun, a) {
			continue
		}
		w, ok := cs.readsSame(u, y, a)
		if !ok {
			continue
		}
		if lastX, lastY = cs.ledTo(t, u, v, w, begun, depth-1); lastX != v {
			break
		}
	}
	return lastX, lastY
}

// soon are a thread's reads of the guest's memory among its next accesses.
func (cs *Case) soon(t trace.TID, from at) iter.Seq2[at, *trace.Access] {
	return func(yield func(at, *trace.Access) bool) {
		n := 0
		for x, a := range cs.Forward(t, from) {
			if n++; n > mostMoves || !a.IsWrite() && a.Addr >= record.LowestVariable && !yield(x, a) {
				return
			}
		}
	}
}

// readsSame is where a thread soon reads what an access reads.
func (cs *Case) readsSame(t trace.TID, from at, a *trace.Access) (x at, ok bool) {
	for x, o := range cs.soon(t, from) {
		if o.Addr == a.Addr && o.Size == a.Size {
			return x, true
		}
	}
	return x, false
}

func first(x, y at) at {
	if y.Before(x) {
		return y
	}
	return x
}
