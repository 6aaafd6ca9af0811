package por

import (
	"slices"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// Revisits: which there are of a graph, and how one is made (trust.go).

// candidate is a revisit of the graph at hand, P: what thread a.Thread would do
// next comes before event r, with K before it. K is what was in the graph before
// r, a's base, and what take says of q with all that happens before it.
type candidate struct {
	g      *graph
	a      *branch // as far as its context doesn't matter
	varies bool    // what it does may be less
	lone   bool    // it is an atomic access, and may be a compare-and-exchange
	base   []int32
	found  []int32 // the events of P that a depends on and that aren't in base, newest first
	next   int     // found[:next] were looked at as r
	turned int     // the graph's turned[turned:] were looked at
	need   []int32 // and are these, without those in base: they have to be in K
	// loose are the graph's revisits, as far as they were looked at, of which
	// others could have come first.
	loose  []int32
	behind trace.TID
	r      int32   // size of P: before the first
	q      []int32 // those of found after r that don't happen after r
	take   []bool
	seen   int32 // the events of P before a's turn before this one, -1 if it had none
}

// consider starts to look for revisits by event a, the next of its thread.
func (w *trust) consider(a *relation.Event) {
	b := w.pool.copy(a, 0)
	w.pending, w.which = append(w.pending[:0], b), 0
	w.passedOver()
	w.start(b)
}

// passedOver adds what the threads would have done that are passed over in the
// present state.
func (w *trust) passedOver() {
	if w.opts.fault == noPending {
		return
	}
	for i := w.tip().passes; i < int32(len(w.passes)); i++ {
		p := &w.passes[i]
		if p.held != nil {
			w.pending = append(w.pending, w.pool.copy(&p.held.Event, 0))
			continue
		}
		b := w.pool.get()
		b.Event = relation.Event{Thread: p.thread, Loose: p.loose}
		b.OwnOps([]trace.Op{p.op})
		w.spun(b)
		w.expect(b)
	}
}

// spun adds to b what its thread's loop read, if the step ends a spin.
func (w *trust) spun(b *branch) {
	b.OwnWaits(w.waitsOf(b.Thread))
}

// expect adds b, whose beginning alone is known, to what is pending.
func (w *trust) expect(b *branch) {
	b.expected, b.Wild = true, !w.opts.OneEvent
	for i := range b.Ops {
		switch k := b.Ops[i].Kind; {
		case k == trace.OpCondWait:
			w.unlocks(b)
		case k == trace.OpLock:
			b.Wild = b.Wild || !w.opts.Unmerged
		case !plainOp[k]:
			b.Wild = true
		}
	}
	w.pending = append(w.pending, b)
}

// plainOp[k]: a step that begins with an operation of kind k does nothing else.
var plainOp = [trace.NumOps]bool{
	trace.OpCreate: true, trace.OpExit: true, trace.OpJoin: true, trace.OpDetach: true,
	trace.OpTryLock: true, trace.OpUnlock: true, trace.OpCondSignal: true, trace.OpCondBroadcast: true,
	trace.OpSemWait: true, trace.OpSemTryWait: true, trace.OpSemPost: true,
	trace.OpReadLock: true, trace.OpTryReadLock: true, trace.OpWriteLock: true, trace.OpTryWriteLock: true,
	trace.OpReadUnlock: true, trace.OpWriteUnlock: true, trace.OpBarrierArrive: true, trace.OpBarrierLeave: true,
	trace.OpYield: true, trace.OpSleep: true, trace.OpTime: true, trace.OpEnd: true,
}

// unlocks adds to b, a wait on a condition variable, that it gives back one of
// the mutexes that its thread has locked.
func (w *trust) unlocks(b *branch) {
	for i := w.order.Last(b.Thread); i >= 0; i = w.order.Prev(i) {
		s := &w.steps[i]
		for k := range s.Ops {
			if o := s.Ops[k]; o.Kind == trace.OpLock || o.Kind == trace.OpTryLock {
				o.Kind = trace.OpUnlock
				b.AddOp(o)
			}
		}
	}
}

func (w *trust) start(b *branch) {
	c := &w.cand
	c.a = b
	c.varies = b.blur(!b.Wild) || b.expected
	c.lone = b.Lone() && b.Accesses[0].Flags&trace.Atomic != 0
	c.base = w.base(c.base[:0], b.Thread)
	c.seen = w.lastTurn(b.Thread, w.size())
	c.found = c.found[:0]
	if n := w.size(); n > 0 && w.steps[n-1].Global && !w.steps[n-1].Advance && !b.Wild {
		c.found = append(c.found, int32(n-1)) // the process's end, which nothing comes after
	}
	c.found = w.order.Conflicts(&b.Event, c.base, c.found)
	c.r, c.q, c.take = int32(w.size()), c.q[:0], c.take[:0]
	c.next, c.turned, c.need = 0, len(w.turned), c.need[:0]
	c.loose, c.behind = c.loose[:0], trace.NoThread
	w.looking = true
}

// gatherPending lists what each thread would have done next at the end of an
// execution: that revisits as if it came next.
func (w *trust) gatherPending() {
	w.forget()
	w.passedOver()
	if w.at < 0 && w.opts.fault != noPending {
		last := w.steps[w.size()-1].Thread
		for k := range w.threads {
			t := &w.threads[k]
			if t.ID == last || t.Status != trace.Ready && (t.Status != trace.Blocked || !contends(t.Pending.Kind)) || t.Pending.Kind == trace.OpAdvance {
				continue // an advance comes when no thread can run, and is never reversed
			}
			b := w.pool.get()
			b.Begin(t)
			w.spun(b)
			w.expect(b)
		}
	}
	if len(w.pending) > 0 {
		w.which = 0
		w.start(w.pending[0])
	}
}

func (w *trust) forget() {
	for _, b := range w.pending {
		w.pool.put(b)
	}
	w.pending, w.looking = w.pending[:0], false
}

// look finds the next revisit of the graph at hand.
func (w *trust) look() bool {
	for {
		if w.scan(&w.cand) {
			if w.dropped++; w.opts.fault == dropBacktrack && w.dropped%3 == 0 {
				continue
			}
			return true
		}
		if w.which++; w.which == len(w.pending) {
			return false
		}
		w.start(w.pending[w.which])
	}
}

// scan finds the next revisit by c.a: displaced events from the newest to the
// oldest, for each the smallest K first.
func (w *trust) scan(c *candidate) bool {
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
func (w *trust) needed(c *candidate, i int32) bool {
	for ; c.turned > 0 && w.turned[c.turned-1] >= i; c.turned-- {
		b := w.turned[c.turned-1]
		if w.steps[b].added == revisits && !w.settles(&c.behind, b) {
			c.loose = append(c.loose, b)
		}
		if c.base[w.steps[b].Thread] > b || w.opts.fault == notMaximal {
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
// read on which r doesn't depend. What it reads there is what it would have read
// before u, the oldest write of its bytes that isn't in K. If its thread stood
// before it already then, it is known whether it would have failed.
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
func (w *trust) displaces(c *candidate, i int32) bool {
	s := &w.steps[i]
	if s.added != inTurn || s.Choice != 0 || s.Advance || c.lets(i) {
		return false
	}
	return w.limit < 0 || i == 0 || w.steps[i-1].rounds <= w.limit
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

// revisit leaves the graph at hand for the one that c makes of it.
func (w *trust) revisit() (ok bool, err error) {
	c := &w.cand
	r, t := int(c.r), c.a.Thread
	displaced := w.pool.copy(&w.steps[r].Event, 0)
	w.plan = w.plan[:0]
	for i := r + 1; i < w.size(); i++ {
		if c.covered(int32(i)) {
			w.plan = append(w.plan, planned{w.steps[i].Thread, w.steps[i].Choice})
		}
	}
	w.estimate.descend(w.size())
	var k *kept
	redo := int32(-1)
	if w.size()-r <= keepable {
		k = w.keep(r)
	} else {
		redo = w.next(r)
		w.forget()
		for w.size() > r {
			w.drop(w.pop())
		}
	}
	if err := w.come(); err != nil {
		return false, err
	}
	for _, p := range w.plan {
		if err := w.step(p.thread, p.choice, trace.NoThread, false); err != nil || w.over() {
			return false, err
		}
		s := &w.steps[w.size()-1]
		s.added, s.group = alongside, int32(r)
	}
	return w.insert(t, 0, int32(r), redo, displaced, k)
}

type planned struct {
	thread trace.TID
	choice trace.Choice
}

// insert adds the revisiting event, thread t's, which displaces what follows
// event r. If that isn't possible, or makes nothing new, it goes on to what is
// left of the graph that the revisit was of.
func (w *trust) insert(t trace.TID, choice trace.Choice, r, redo int32, displaced *branch, k *kept) (ok bool, err error) {
	if _, ok := w.graph.able(t); !ok {
		return w.again(t, r, redo, displaced, k)
	}
	if err := w.step(t, choice, displaced.Thread, true); err != nil || w.over() {
		return false, err
	}
	w.turns(r, redo, displaced)
	w.steps[w.size()-1].kept = k
	w.nested++
	w.estimate.made(w.size(), uint32(choice), w.steps[w.size()-1].ways)
	if w.fits(w.size() - 1) {
		if !w.beyond() {
			return true, nil
		}
		w.stats.Pruned++
	}
	return w.revisited()
}

// fits reports whether the newest event, a revisit, leads to a graph that wasn't
// there: it really displaces, all that came with it happens before it, and it
// comes in order.
func (w *trust) fits(n int) bool {
	s := &w.steps[n]
	if !s.Dependent(&s.displaced.Event) {
		return false
	}
	for i := s.group; i < int32(n); i++ {
		if !w.order.Before(i, int32(n)) {
			return false
		}
	}
	return w.chained(n)
}

// chained reports whether the events that displaced a thread, one after the
// other, of which revisit n is the last, came in order: each is the one that the
// guide chooses.
func (w *trust) chained(n int) bool {
	s := &w.steps[n]
	for p := s.group - 1; p >= 0 && w.steps[p].added == revisits && w.steps[p].displaced.Thread == s.displaced.Thread; p = w.steps[p].group - 1 {
		a := &w.steps[p]
		if a.displaced.MayFail() {
			if !w.foremost(p, nil) {
				return false
			}
			continue
		}
		if w.order.Before(p, int32(n)) {
			break
		}
		if s.Thread < a.Thread && s.Dependent(&a.displaced.Event) {
			return false
		}
	}
	return true
}

// revisited leaves the graph at hand, whose newest event is a revisit that is
// done with. It goes on to the event's next outcome, or to what is left of the
// graph that the revisit was of.
func (w *trust) revisited() (more bool, err error) {
	s := w.pop()
	w.nested--
	t, choice, r, redo, displaced, k := s.Thread, s.Choice+1, s.group, s.redo, s.displaced, s.kept
	s.displaced, s.kept = nil, nil
	if choice < trace.Choice(s.ways) {
		if err := w.come(); err != nil {
			return false, err
		}
		return w.insert(t, choice, r, redo, displaced, k)
	}
	return w.again(t, r, redo, displaced, k)
}
