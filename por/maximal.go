package por

import "landgo/trace"

// ISMAXIMAL, and the graph that a revisit was made from made again (trust.go).

// guided is an event that has to be in a graph.
type guided struct {
	*branch
	at    int32   // where it stood
	clock []int32 // what happened before it there
	in    bool    // it is in the graph again,
	now   int32   // and there
}

func (g *guided) before(h *guided) bool { return h.clock[g.thread] > g.at }

// maximal reports whether c's revisit may be made from the graph at hand P: P
// is what becomes of K when everything else is added to it in turn, at the end
// and with the first outcome (the paper's ISMAXIMAL). Then P is the only graph
// that the revisited one is made from.
func (w *trust) maximal(c *candidate) bool {
	for _, b := range w.need {
		if b > c.r && !w.covered(c, b) {
			return false
		}
	}
	return true
}

// inOrder reports whether c.a displaces the thread after those that displaced
// it just before, if nothing else says which came first.
func (w *trust) inOrder(c *candidate) bool {
	if c.varies {
		return true // see fits
	}
	t := w.steps[c.r].thread
	for p := c.r - 1; p >= 0 && w.steps[p].added == revisits && w.steps[p].displaced.thread == t; p = w.steps[p].group - 1 {
		a := &w.steps[p]
		if w.covered(c, p) || a.dependent(&c.a.event) {
			return true
		}
		if c.a.thread < a.thread && c.a.dependent(&a.displaced.event) {
			return false
		}
	}
	return true
}

// next says how much of the graph at hand, beyond event r, has to be made again
// when the graphs that come of the present revisit of r are done: up to where
// more revisits, or other outcomes, are left. -1: all of it, as revisits of the
// whole are left. It takes back events, up to r.
func (w *trust) next(r int) int32 {
	if w.look() {
		return -1
	}
	for w.size() > r {
		s := &w.steps[w.size()-1]
		if s.added == revisits {
			return int32(w.size())
		}
		s = w.pop()
		if s.choice+1 < trace.Choice(s.ways) {
			return int32(w.size() + 1)
		}
		w.forget()
		w.consider(&s.event)
		if w.look() {
			return int32(w.size() + 1)
		}
	}
	return 0
}

// again makes the graph again of which a revisit by thread t is done, as far as
// redo says. What stands there beyond event r came with the revisit: K.
func (w *trust) again(t trace.TID, r, redo int32, displaced *branch) (bool, error) {
	w.pool.put(displaced)
	w.guide, w.left = w.guide[:0], 0
	if redo != 0 {
		for i := r; i < int32(w.size()); i++ {
			e := guided{now: -1, branch: w.pool.copy(&w.steps[i].event, 0), at: i, clock: append([]int32(nil), w.order.clock(i)...)}
			w.guide = append(w.guide, e)
		}
		w.left = len(w.guide)
	}
	for w.size() > int(r) {
		w.drop(w.pop())
	}
	if redo == 0 {
		return false, nil
	}
	if err := w.come(); err != nil {
		return false, err
	}
	for redo < 0 || w.size() < int(redo) {
		done, err := w.inTurn(t, redo < 0 && w.size() > int(r))
		if err != nil || w.halted() {
			return false, err
		}
		if done {
			break
		}
	}
	kept := w.kept[:0]
	for i := range w.guide {
		kept = append(kept, w.guide[i].branch)
	}
	var err error
	if redo < 0 {
		err = w.resume(t, r)
	}
	for _, b := range kept {
		w.pool.put(b)
	}
	w.kept = kept[:0]
	return false, err
}

// resume goes on to look through the revisits of the graph at hand, after
// thread t's of event r with the guide's events.
func (w *trust) resume(t trace.TID, r int32) error {
	if w.tip().next == t {
		if err := w.step(t, 0, t, false); err != nil || w.halted() {
			return err
		}
		w.consider(&w.pop().event)
	} else {
		w.gatherPending()
		for w.cand.a.thread != t {
			w.which++
			w.start(w.pending[w.which])
		}
	}
	c := &w.cand
	w.between(c, r)
	for k, q := range c.q {
		for i := range w.guide {
			c.take[k] = c.take[k] || w.guide[i].now == q
		}
	}
	return nil
}

// inTurn adds the next event of the leftmost thread, or, where something of the
// guide that isn't there yet would make a difference to it, that. With whole it
// reports when everything is there but what thread t does next.
func (w *trust) inTurn(t trace.TID, whole bool) (done bool, err error) {
	v, k := w.tip().next, -1
	for i := range w.guide {
		if g := &w.guide[i]; w.left > 0 && !g.in && g.thread == v {
			k = i
			break
		}
	}
	switch {
	case whole && w.left == 0 && (v == t || w.isPassed(t)):
		return true, nil
	case v == trace.NoThread:
		if !whole || w.left > 0 {
			err = w.lost(t)
		}
		return true, err
	case k >= 0 && w.free(k):
		return false, w.bring(k, v)
	}
	size := w.size()
	if err := w.turn(false); err != nil || w.halted() || w.left == 0 || w.size() == size {
		return false, err
	}
	best := w.first(&w.steps[w.size()-1].event, k)
	if best < 0 {
		if k >= 0 || whole && v == t {
			err = w.lost(v)
		}
		return false, err
	}
	displaced := w.pool.copy(&w.pop().event, 0)
	if err := w.come(); err != nil {
		return false, err
	}
	group := int32(w.size())
	for j := range w.guide[:best] {
		if g := &w.guide[j]; !g.in && g.before(&w.guide[best]) {
			if err := w.bring(j, trace.NoThread); err != nil || w.halted() {
				return false, err
			}
			s := &w.steps[w.size()-1]
			s.added, s.group = alongside, group
		}
	}
	if err := w.bring(best, v); err != nil || w.halted() {
		return false, err
	}
	s := &w.steps[w.size()-1]
	s.added, s.group, s.redo, s.displaced = revisits, group, -1, displaced
	return false, nil
}

// isPassed reports whether thread t is passed over in the present state.
func (w *trust) isPassed(t trace.TID) bool {
	for i := w.tip().passes; i < int32(len(w.passes)); i++ {
		if w.passes[i].thread == t {
			return true
		}
	}
	return false
}

// bring adds event i of the guide; turn is as in add.
func (w *trust) bring(i int, turn trace.TID) error {
	g := &w.guide[i]
	g.in, g.now = true, int32(w.size())
	w.left--
	return w.step(g.thread, g.choice, turn, false)
}

// free reports whether all that happens before event k of the guide is there.
func (w *trust) free(k int) bool {
	for j := range w.guide[:k] {
		if g := &w.guide[j]; !g.in && g.before(&w.guide[k]) {
			return false
		}
	}
	return true
}

// first is the event of the guide that displaces e, event k of the guide if
// that isn't -1: of those that depend on e and that nothing else comes before
// that does, the one of the lowest thread. -1 for none.
func (w *trust) first(e *event, k int) int {
	best := -1
	for i := range w.guide {
		if w.displacing(e, k, i) && (best < 0 || w.guide[i].thread < w.guide[best].thread) {
			minimal := true
			for j := range w.guide[:i] {
				minimal = minimal && !(w.guide[j].before(&w.guide[i]) && w.displacing(e, k, j))
			}
			if minimal {
				best = i
			}
		}
	}
	return best
}

func (w *trust) displacing(e *event, k, i int) bool {
	g := &w.guide[i]
	return !g.in && g.thread != e.thread && (k < 0 || i < k || !w.guide[k].before(g)) && g.dependent(e)
}
