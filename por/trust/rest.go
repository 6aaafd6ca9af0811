package trust

import (
	"errors"

	"landgo/internal/trace"
)

// Rest is a walk at rest, between two graphs. It has its graph with the steps that made it,
// because all else can be made again from that (guided, in doc.go), and its depth in its subtree.
type Rest struct {
	steps         []restEvent
	top           []*deed // held in the last state
	marked        bool    // the last state is
	floor, nested int
	estimate      graphEstimate
	// Done: the newest event is a revisit that is done with.
	Done bool
}

// restEvent is an event of a Rest, and what was held in the state before it.
type restEvent struct {
	thread      trace.TID
	choice      trace.Choice
	last        uint64
	added       origin
	group, redo int32
	displaced   *deed
	held        []*deed
	marked      bool // the state before it
}

// Len is the number of events.
func (p *Rest) Len() int { return len(p.steps) }

// Left is the share of the search that is still to be done.
func (p *Rest) Left() float64 { return p.estimate.left() }

// Suspend is the walk at rest.
func (w *Walk) Suspend() *Rest {
	p := &Rest{floor: w.floor, nested: w.nested, estimate: w.estimate.clone()}
	for i := range w.steps[:w.size()] {
		s := &w.steps[i]
		e := restEvent{thread: s.Thread, choice: s.Choice, last: s.last, added: s.added, group: s.group, redo: s.redo, marked: s.marked,
			held: w.heldAt(s.holds, w.steps[i+1].holds)}
		if s.added == revisits {
			e.displaced = new(pool).copy(&s.displaced.Event)
		}
		p.steps = append(p.steps, e)
	}
	p.top, p.marked = w.heldAt(w.tip().holds, int32(len(w.holds))), w.tip().marked
	return p
}

func (w *Walk) heldAt(lo, hi int32) (held []*deed) {
	for _, h := range w.holds[lo:hi] {
		held = append(held, new(pool).copy(&h.what.Event))
	}
	return held
}

// ErrElsewhere is a step of a Rest that ends elsewhere when it is made again.
var ErrElsewhere = errors.New("a step of an execution graph ends elsewhere when it is made again")

// Resume builds the graph of p. The walk has just begun.
func (w *Walk) Resume(p *Rest) error {
	w.floor, w.nested, w.estimate = p.floor, p.nested, p.estimate.clone()
	for i := range p.steps {
		e := &p.steps[i]
		w.holdAll(e.held)
		w.marks(e.marked)
		turn := e.thread
		switch e.added {
		case alongside:
			turn = trace.NoThread
		case revisits:
			turn = e.displaced.Thread
		}
		if err := w.step(e.thread, e.choice, turn, false); err != nil || w.Over() {
			return err
		}
		s := &w.steps[i]
		if s.last != e.last {
			return ErrElsewhere
		}
		switch e.added {
		case alongside:
			s.added, s.group = alongside, e.group
		case revisits:
			w.turns(e.group, e.redo, w.pool.copy(&e.displaced.Event))
		}
	}
	w.holdAll(p.top)
	w.marks(p.marked)
	return nil
}

// marks has the newest state marked or not, as it was in the walk that was
// suspended: how many steps lead back to a state depends on it.
func (w *Walk) marks(marked bool) {
	if s := w.tip(); s.marked != marked && w.size() > 0 {
		if s.marked = marked; marked {
			s.mark = w.sys.Mark()
		}
	}
}

func (w *Walk) holdAll(held []*deed) {
	for _, b := range held {
		w.hold(w.pool.copy(&b.Event))
	}
}

// Divisible reports whether Divide can divide what is left.
func (w *Walk) Divisible() bool { return w.nested > 0 }

// Divide divides what is left in two. One is the subtree of the graph that the
// outermost revisit has made, as far as that is still to do. The rest goes on as if
// that revisit was done.
func (w *Walk) Divide() (inner, rest *Rest, err error) {
	inner = w.Suspend()
	if err := w.outermost(); err != nil || w.Over() {
		return nil, nil, err
	}
	inner.floor, inner.nested = w.size(), inner.nested-1
	inner.estimate.outermost()
	rest = w.Suspend()
	rest.Done = true
	return inner, rest, nil
}

// outermost takes the walk back to the graph that its outermost revisit has
// made: it leaves those within as if they were done.
func (w *Walk) outermost() error {
	for {
		for w.steps[w.size()-1].added != revisits {
			w.drop(w.pop())
		}
		if w.nested == 1 {
			w.estimate.settle(w.size())
			return nil
		}
		s := w.pop()
		w.nested--
		w.estimate.ascend()
		t, r, displaced, k := s.Thread, s.group, s.displaced, s.kept
		s.displaced, s.kept = nil, nil
		w.pool.put(displaced)
		if err := w.regain(t, r, k); err != nil || w.Over() {
			return err
		}
		w.forget()
	}
}
