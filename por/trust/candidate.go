package trust

import (
	"slices"

	"landgo/internal/trace"
)

// A revisit that a graph may have, and whether it is one (revisit.go).

// candidate is a revisit of the graph at hand, P: what thread a.Thread would do
// next comes before event r, with K before it. K is what was in the graph before
// r, a's base, and what take says of q with all that happens before it.
type candidate struct {
	g      *graph
	a      *deed // as far as its context doesn't matter
	varies bool  // its effects may be fewer
	lone   bool  // it is an atomic access, and may be a compare-and-exchange
	base   []int32
	found  []int32 // the events of P that a depends on and that aren't in base, newest first
	next   int     // found[:next] were looked at as r
	turned int     // the graph's turned[turned:] were looked at
	need   []int32 // and are these, without those in base: they have to be in K
	// loose are the graph's revisits, as far as they were looked at, before which others
	// could have come.
	loose  []int32
	behind trace.TID
	r      int32   // size of P: before the first
	q      []int32 // those of found after r that don't happen after r
	take   []bool
	seen   int32 // the events of P before a's turn before this one, -1 if it had none
}

// scan finds the next revisit by c.a: displaced events from the newest to the
// oldest, for each the smallest K first.
func (w *Walk) scan(c *candidate) bool {
	if c.a.Advance {
		return false
	}
	for ; c.next < len(c.found); c.next++ {
		i := c.found[c.next]
		more := i == c.r
		if !more && (!w.needed(c, i) || !w.displaces(c, i)) {
			continue
		}
		if more {
			more = c.more()
		} else {
			c.between(c.next)
			more = true
		}
		for ; more; more = c.more() {
			if !w.spend(1 + len(c.q)) {
				return false
			}
			if !c.vain() && w.maximal(c) && !c.earlier() && c.inOrder() && w.within(c) {
				return true
			}
		}
	}
	return false
}

// needed adds to need what has to be in K if event i or an older one is
// displaced. If that can't be, it ends the search for one.
func (w *Walk) needed(c *candidate, i int32) bool {
	for ; c.turned > 0 && w.turned[c.turned-1] >= i; c.turned-- {
		b := w.turned[c.turned-1]
		if w.steps[b].added == revisits && !w.settles(&c.behind, b) {
			c.loose = append(c.loose, b)
		}
		if c.base[w.steps[b].Thread] > b || w.cfg.Without == Maximality {
			continue
		}
		if c.need = append(c.need, b); !c.coverable(b) {
			c.next = len(c.found)
			return false
		}
	}
	return true
}

// vain reports whether c.a is a compare-and-exchange that fails after K, and so a
// read on which r doesn't depend. It reads there what it would have read before u,
// the oldest write of its bytes that isn't in K. If its thread stood before it
// already then, it is known whether it would have failed.
func (c *candidate) vain() bool {
	if !c.lone {
		return false
	}
	a, u := &c.a.Accesses[0], int32(c.g.size())
	for _, i := range c.found {
		switch s := &c.g.steps[i]; {
		case !s.Writes(a):
		case !s.writesAll(a):
			return false
		case i == c.r || i > c.r && !c.covered(i):
			u = i
		}
	}
	return u != c.r && slices.Max(c.base) <= u && c.g.fails.has(int(u), c.a.Thread)
}

// writesAll reports whether s writes all bytes of a, at once.
func (s *step) writesAll(a *trace.Access) bool {
	for i := range s.Accesses {
		if b := &s.Accesses[i]; b.IsWrite() && b.Addr <= a.Addr && a.Addr+uint64(a.Size) <= b.Addr+uint64(b.Size) {
			return true
		}
	}
	return false
}

// earlier reports whether c's revisit was made at an earlier turn of c.a.
func (c *candidate) earlier() bool {
	if c.r >= c.seen {
		return false
	}
	for k, q := range c.q {
		if c.take[k] && q >= c.seen {
			return false
		}
	}
	return true
}

// displaces reports whether c.a could come before event i, which depends on it,
// in place of what i's thread did at its turn.
func (w *Walk) displaces(c *candidate, i int32) bool {
	s := &w.steps[i]
	if s.added != inTurn || s.Choice != 0 || s.Advance || c.lets(i) {
		return false
	}
	return w.cfg.Limit < 0 || i == 0 || w.steps[i-1].rounds <= w.cfg.Limit
}

// lets reports whether event i let c.a go, so that a isn't possible before it:
// the end of a thread that is joined, or the release of a lock.
func (c *candidate) lets(i int32) bool {
	s := &c.g.steps[i]
	for k := range c.a.Ops {
		for j := range s.Ops {
			a, e := &c.a.Ops[k], &s.Ops[j]
			switch {
			case a.Obj != e.Obj:
			case a.Kind == trace.OpJoin && e.Kind == trace.OpExit, a.Kind == trace.OpLock && e.Kind == trace.OpUnlock && c.g.hadLocked(e, i):
				return true
			}
		}
	}
	return false
}

// hadLocked reports whether the thread of event i had locked the mutex that e is on.
func (g *graph) hadLocked(e *trace.Op, i int32) bool {
	for y, kind := range g.order.History(e) {
		if y < i && kind != trace.OpTryLockFail {
			return (kind == trace.OpLock || kind == trace.OpTryLock) && g.steps[y].Thread == g.steps[i].Thread
		}
	}
	return false
}

// between makes found[n] the event displaced and fills q.
func (c *candidate) between(n int) {
	c.r, c.q, c.take = c.found[n], c.q[:0], c.take[:0]
	for k := n - 1; k >= 0; k-- {
		if i := c.found[k]; !c.g.order.Before(c.r, i) {
			c.q, c.take = append(c.q, i), append(c.take, false)
		}
	}
}

// more goes on to the next choice of q that has with each event those of q that
// happen before it.
func (c *candidate) more() bool {
	for k := len(c.q) - 1; k >= 0; k-- {
		if c.take[k] || !c.below(k) {
			continue
		}
		c.take[k] = true
		clear(c.take[k+1:])
		return true
	}
	return false
}

func (c *candidate) below(k int) bool {
	for j := 0; j < k; j++ {
		if !c.take[j] && c.g.order.Before(c.q[j], c.q[k]) {
			return false
		}
	}
	return true
}

// coverable reports whether event b could be in K, for some choice of q.
func (c *candidate) coverable(b int32) bool {
	for _, i := range c.found {
		if i < b {
			break
		}
		if i == b || c.g.order.Before(b, i) {
			return true
		}
	}
	return false
}

// covered reports whether event b, after r, is in K.
func (c *candidate) covered(b int32) bool {
	if c.base[c.g.steps[b].Thread] > b {
		return true
	}
	for k, q := range c.q {
		if c.take[k] && (q == b || q > b && c.g.order.Before(b, q)) {
			return true
		}
	}
	return false
}
