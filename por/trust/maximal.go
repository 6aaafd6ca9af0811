package trust

import "landgo/internal/trace"

// ISMAXIMAL, and the graph that a revisit was made from made again (doc.go).

// maximal reports whether c's revisit may be made from the graph at hand P. It may if P is
// guided(K), what becomes of K when everything else is added to it in turn, at the end and
// with the first outcome (the paper's ISMAXIMAL). So what isn't in turn in P has to be in
// K. And where several of K could have displaced a thread that stayed displaced, the guide
// has to choose the one that did. Then P is the only graph that the revisited one is made
// from.
func (w *Walk) maximal(c *candidate) bool {
	for _, b := range c.need {
		if b > c.r && !c.covered(b) {
			return false
		}
	}
	for _, b := range c.loose {
		if b > c.r && w.cfg.Without != Displacers && !w.foremost(b, c) {
			return false
		}
	}
	return true
}

// inOrder reports whether c.a displaces the thread after those that displaced
// it just before, if nothing else says which came first.
func (c *candidate) inOrder() bool {
	if c.varies || c.g.steps[c.r].MayFail() {
		return true // see fits
	}
	t := c.g.steps[c.r].Thread
	for p := c.r - 1; p >= 0 && c.g.steps[p].added == revisits && c.g.steps[p].displaced.Thread == t; p = c.g.steps[p].group - 1 {
		a := &c.g.steps[p]
		if c.covered(p) || a.Dependent(&c.a.Event) {
			return true
		}
		if c.a.Thread < a.Thread && c.a.Dependent(&a.displaced.Event) {
			return false
		}
	}
	return true
}

// next takes back events of the graph at hand, up to r. It says how much beyond r
// has to be made again when the graphs that follow from the present revisit of r are
// done. That is up to where more revisits, or other outcomes, are left. -1: all of
// it, as revisits of the whole are left.
func (w *Walk) next(r int) int32 {
	if w.look() {
		return -1
	}
	for w.size() > r {
		s := &w.steps[w.size()-1]
		if s.added == revisits {
			return int32(w.size())
		}
		s = w.pop()
		if s.Choice+1 < trace.Choice(s.ways) {
			return int32(w.size() + 1)
		}
		w.forget()
		w.consider(&s.Event)
		if w.look() {
			return int32(w.size() + 1)
		}
	}
	return 0
}

// again makes the graph whose revisit by thread t is done again, as far as redo
// says. It goes on to look through the rest of its revisits.
func (w *Walk) again(t trace.TID, r, redo int32, displaced *deed, k *kept) (bool, error) {
	w.pool.put(displaced)
	w.estimate.ascend()
	if redo < 0 {
		return false, w.regain(t, r, k)
	}
	if redo == 0 {
		for w.size() > int(r) {
			w.drop(w.pop())
		}
		return false, nil
	}
	defer w.guide.empty(&w.pool)
	return false, w.remake(t, r, redo)
}

// remake makes the graph again whose revisit by thread t is done, as far as redo
// says, with the guide. The events there beyond event r came with the revisit: K.
func (w *Walk) remake(t trace.TID, r, redo int32) error {
	w.guide.fill(w, int(r))
	for w.size() > int(r) {
		w.drop(w.pop())
	}
	if err := w.come(); err != nil {
		return err
	}
	for redo < 0 || w.size() < int(redo) {
		done, err := w.inTurn(t, redo < 0 && w.size() > int(r))
		if err != nil || w.Over() || done {
			return err
		}
	}
	return nil
}

// resume goes on to look through the revisits of the graph at hand, after
// thread t's of event r with the guide's events.
func (w *Walk) resume(t trace.TID, r int32) error {
	if w.tip().next == t {
		if err := w.step(t, 0, t, false); err != nil || w.Over() {
			return err
		}
		w.consider(&w.pop().Event)
	} else {
		w.gatherPending()
	}
	for w.cand.a.Thread != t || w.cand.a.Advance {
		w.which++
		w.start(w.pending[w.which])
	}
	c := &w.cand
	if !w.reach(r) {
		return w.lost(t)
	}
	w.order.Unmark()
	for i := range w.guide.events {
		if now := w.guide.events[i].now; now >= 0 {
			w.order.Mark(now)
		}
	}
	for k, q := range c.q {
		c.take[k] = w.order.Marked(q)
	}
	return nil
}

// reach goes on to the revisits of event r of those that are being looked
// through. It reports whether there are any.
func (w *Walk) reach(r int32) bool {
	c := &w.cand
	for c.next < len(c.found) && w.needed(c, c.found[c.next]) && c.found[c.next] != r {
		c.next++
	}
	if c.next == len(c.found) {
		return false
	}
	c.between(c.next)
	return true
}

// inTurn adds the next event of the leftmost thread, or, where something of the
// guide that isn't there yet would make a difference to it, that. With whole it
// reports when everything is there but what thread t does next.
func (w *Walk) inTurn(t trace.TID, whole bool) (done bool, err error) {
	g, v := &w.guide, w.tip().next
	k := g.next(v)
	switch {
	case whole && g.left == 0 && (v == t || w.isPassed(t)):
		return w.settleHolds()
	case v == trace.NoThread:
		if !whole || g.left > 0 {
			err = w.lost(t)
		}
		return true, err
	case k >= 0 && g.free(k):
		return false, w.bring(k, v)
	}
	size := w.size()
	if err := w.turn(false); err != nil || w.Over() || g.left == 0 || w.size() == size {
		return false, err
	}
	best := g.first(&w.steps[w.size()-1].Event, k)
	if best < 0 {
		if k >= 0 || whole && v == t {
			err = w.lost(v)
		}
		return false, err
	}
	displaced := w.pool.copy(&w.pop().Event)
	if err := w.come(); err != nil {
		return false, err
	}
	group := int32(w.size())
	for _, j := range g.missing(best) {
		if err := w.bring(int(j), trace.NoThread); err != nil || w.Over() {
			return false, err
		}
		s := &w.steps[w.size()-1]
		s.added, s.group = alongside, group
	}
	if err := w.bring(best, v); err != nil || w.Over() {
		return false, err
	}
	w.turns(group, -1, displaced)
	return false, nil
}

// settleHolds reports whether the thread whose turn it is can go on within the
// bound. If it can't, it is passed over, and the next one may be such a thread
// too. They belong to the state in which a revisit was made: what they would do
// revisits there.
func (w *Walk) settleHolds() (bool, error) {
	if w.cfg.Limit < 0 || w.cfg.Dropping || w.tip().next == trace.NoThread {
		return true, nil
	}
	size := w.size()
	if err := w.turn(false); err != nil || w.Over() || w.size() == size {
		return false, err
	}
	w.drop(w.pop())
	return true, w.come()
}

// isPassed reports whether thread t is passed over in the present state.
func (w *Walk) isPassed(t trace.TID) bool {
	for i := w.tip().passes; i < int32(len(w.passes)); i++ {
		if w.passes[i].thread == t {
			return true
		}
	}
	return false
}

// bring adds event i of the guide; turn is as in add.
func (w *Walk) bring(i int, turn trace.TID) error {
	w.guide.enter(i, int32(w.size()))
	e := &w.guide.events[i]
	return w.step(e.Thread, e.Choice, turn, false)
}
