package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// Revisits: which there are of a graph (candidate.go), and how one is made (doc.go).

// consider starts to look for revisits by event a, the next of its thread.
func (w *Walk) consider(a *relation.Event) {
	b := w.pool.copy(a)
	w.pending, w.which = append(w.pending[:0], b), 0
	w.passedOver()
	w.start(b)
}

// passedOver adds what the threads would have done that are passed over in the
// present state.
func (w *Walk) passedOver() {
	if w.cfg.Without == Pending {
		return
	}
	for i := w.tip().passes; i < int32(len(w.passes)); i++ {
		p := &w.passes[i]
		if p.held != nil {
			w.pending = append(w.pending, w.pool.copy(&p.held.Event))
			continue
		}
		b := w.pool.get()
		b.Event = relation.Event{Thread: p.thread, Loose: p.loose}
		if p.op.Kind == trace.OpAccess {
			b.OwnAccesses([]trace.Access{p.access})
		} else {
			b.OwnOps([]trace.Op{p.op})
		}
		w.spun(b)
		w.expect(b)
	}
}

// spun adds to b what its thread's loop read, if the step ends a spin.
func (w *Walk) spun(b *deed) {
	b.OwnWaits(w.waitsOf(b.Thread))
}

// expect adds b, whose beginning alone is known, to what is pending.
func (w *Walk) expect(b *deed) {
	b.expected, b.Wild = true, !w.cfg.OneEvent
	for i := range b.Ops {
		switch k := b.Ops[i].Kind; {
		case k == trace.OpCondWait:
			w.unlocks(b)
		case k == trace.OpLock:
			b.Wild = b.Wild || !w.cfg.Unmerged
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
func (w *Walk) unlocks(b *deed) {
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

func (w *Walk) start(b *deed) {
	c := &w.cand
	c.a = b
	c.varies = b.Blur(!b.Wild) || b.expected
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
func (w *Walk) gatherPending() {
	w.forget()
	w.passedOver()
	if w.at < 0 && w.cfg.Without != Pending {
		last := w.steps[w.size()-1].Thread
		for k := range w.threads {
			t := &w.threads[k]
			if t.ID == last || t.Status != trace.Ready && !w.contending(t) || t.Pending.Kind == trace.OpAdvance {
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

func (w *Walk) forget() {
	for _, b := range w.pending {
		w.pool.put(b)
	}
	w.pending, w.looking = w.pending[:0], false
}

// look finds the next revisit of the graph at hand.
func (w *Walk) look() bool {
	for {
		if w.scan(&w.cand) {
			if w.dropped++; w.cfg.Without == Revisits && w.dropped%3 == 0 {
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

// revisit leaves the graph at hand for the one that c makes of it.
func (w *Walk) revisit() (ok bool, err error) {
	c := &w.cand
	r, t := int(c.r), c.a.Thread
	displaced := w.pool.copy(&w.steps[r].Event)
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
		if err := w.step(p.thread, p.choice, trace.NoThread, false); err != nil || w.Over() {
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
func (w *Walk) insert(t trace.TID, choice trace.Choice, r, redo int32, displaced *deed, k *kept) (ok bool, err error) {
	if _, ok := w.graph.able(t); !ok {
		return w.again(t, r, redo, displaced, k)
	}
	if err := w.step(t, choice, displaced.Thread, true); err != nil || w.Over() {
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
		w.Pruned++
	}
	return w.revisited()
}

// fits reports whether the newest event, a revisit, leads to a graph that wasn't
// there. It has to displace indeed, all that came with it happens before it, and it
// comes in order.
func (w *Walk) fits(n int) bool {
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

// chained reports whether the events that displaced a thread, one after the other,
// came in order: each is the one that the guide chooses. Revisit n is the last of
// them.
func (w *Walk) chained(n int) bool {
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
func (w *Walk) revisited() (more bool, err error) {
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
