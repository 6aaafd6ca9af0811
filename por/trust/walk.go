package trust

import (
	"errors"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// Walk visits execution graphs, each once (doc.go).
type Walk struct {
	graph
	Counts
	// Cut: the bound forbade a revisit.
	Cut bool

	cfg    Config
	search Search
	quits  bool // the search is to stop
	polled uint32
	last   *trace.Transition

	// The walk makes the subtree of a graph with floor events, and is under
	// nested revisits within it.
	floor, nested int
	estimate      graphEstimate // says how much is done
	limited       bool          // it looks for revisits with limited effort:
	effort        int           // so much is left

	// The revisits of the graph at hand that are being looked through, if
	// looking: cand is the newest, by a, which is pending[which] at the end of an
	// execution.
	looking bool
	cand    candidate
	pending []*deed
	which   int
	spare   []*kept // unused parts of kept.go
	room    eventRoom
	guide   guide
	displ   displacers
	plan    []planned
	found   []int32
	pairs   [][2]int32
	zero    []int32
	did     *relation.Order // of what the events did, for canonical.go
	dropped int             // without Revisits
}

// New is a walk, which Begin begins.
func New(cfg Config) *Walk {
	w := &Walk{cfg: cfg}
	w.awaits = cfg.Awaits
	w.cand.g = &w.graph
	return w
}

// Begin begins at the empty graph, with nothing counted. sys stands at its root.
func (w *Walk) Begin(sys System, search Search) {
	w.sys, w.search = sys, search
	w.Counts, w.Cut, w.finer, w.quits = Counts{}, false, false, false
	w.forget()
	w.reset()
	w.floor, w.nested, w.estimate = 0, 0, newGraphEstimate()
	if w.cfg.Without == Weights {
		w.estimate = graphEstimate{}
	}
}

// Explore visits the graphs that are left of the walk's subtree, until rest stops
// it between two of them. done: the newest event is a revisit that is done with.
// over: all are visited.
func (w *Walk) Explore(done bool, rest func() (bool, error)) (over bool, err error) {
	for {
		if !done {
			if yes, err := rest(); yes || err != nil {
				return false, err
			}
			if err := w.forward(); err != nil || w.Over() {
				return false, err
			}
		}
		done = false
		more, err := w.back()
		if err != nil || w.Over() || !more {
			return err == nil && !w.Over(), err
		}
	}
}

// Over reports whether the walk has to end before all is visited.
func (w *Walk) Over() bool { return w.quits || w.finer }

// Finer reports whether points became finer, so that all that was run is void.
func (w *Walk) Finer() bool { return w.finer }

// forward adds the next event of the thread whose turn it is until no thread can
// run, or no execution within the bound can follow any more.
func (w *Walk) forward() error {
	for {
		tip := w.tip()
		if tip.next == trace.NoThread {
			return w.leaf()
		}
		if err := w.turn(true); err != nil || w.Over() {
			return err
		}
		if w.beyond() {
			w.end(Beyond)
			w.weighEnd()
			return nil
		}
	}
}

// turn adds the next event of the thread whose turn it is, with its first
// outcome. One beyond the bound it passes over, unless that ends the graph.
func (w *Walk) turn(fresh bool) error {
	t := w.tip().next
	if err := w.step(t, 0, t, fresh); err != nil || w.Over() {
		return err
	}
	beyond := w.beyond()
	if fresh && beyond {
		w.Pruned++
	}
	if !beyond || w.cfg.Dropping {
		if fresh {
			w.weigh(w.last, 0)
		}
		return nil
	}
	b := w.pool.copy(&w.pop().Event)
	if err := w.come(); err != nil {
		return err
	}
	w.hold(b)
	return nil
}

// step adds an event and counts it.
func (w *Walk) step(t trace.TID, c trace.Choice, turn trace.TID, fresh bool) error {
	ways, ok := w.able(t)
	if w.cfg.Without == Outcomes {
		ways = min(ways, 1)
	}
	if !ok {
		return w.lost(t)
	}
	tr, err := w.add(t, c, turn)
	if err != nil {
		return err
	}
	w.steps[w.size()-1].ways = ways
	w.count(fresh, 1)
	w.last = tr
	if w.finer && w.at == w.size() {
		w.quits, err = w.search.RunOut(tr)
	}
	return err
}

// pollSteps is how many steps lie between two polls of the search.
const pollSteps = 1 << 8

func (w *Walk) count(fresh bool, n int) {
	if fresh {
		w.Transitions += uint64(n)
	} else {
		w.Replayed += uint64(n)
	}
	w.Used += uint64(n)
	for ; n > 0; n-- {
		if w.polled++; w.polled%pollSteps == 0 && w.search.Poll() {
			w.quits = true
		}
	}
}

// come is graph.come, counted.
func (w *Walk) come() error {
	n, err := w.graph.come()
	w.count(false, n)
	return err
}

// leaf ends an execution, and finds what was still to come in it.
func (w *Walk) leaf() error {
	how := Whole
	if w.at >= 0 {
		for k := range w.threads {
			if w.threads[k].Status == trace.Ready {
				how = Beyond // all threads that could run are held
			}
		}
	}
	if how == Whole && !w.canonical() {
		how = Redundant
	}
	w.end(how)
	w.gatherPending()
	w.weighEnd()
	return nil
}

// end reports an end of an execution.
func (w *Walk) end(how Ending) {
	e := End{How: how, Last: w.last, ByProcess: w.at < 0, Threads: w.threads, Preemptions: int(w.tip().preemptions)}
	if !w.search.Ended(&e) {
		w.quits = true
	}
}

// errUnmade is a broken invariant: the graph that a revisit was made from is there
// again when the revisit's subtree is done.
var errUnmade = errors.New("search trust has lost the graph that a revisit was made from: use search optimal")

// back leaves wholly explored graphs, and goes on to the next.
func (w *Walk) back() (more bool, err error) {
	for !w.Over() {
		if w.looking {
			if w.look() {
				if ok, err := w.revisit(); ok || err != nil {
					return ok, err
				}
				continue
			}
			w.forget()
		}
		n := w.size()
		w.estimate.settle(n)
		if n == w.floor && w.nested == 0 {
			return false, nil
		}
		if n == 0 {
			return false, errUnmade
		}
		s := &w.steps[n-1]
		if s.added == revisits {
			if ok, err := w.revisited(); ok || err != nil {
				return ok, err
			}
			continue
		}
		s = w.pop()
		if s.Choice+1 < trace.Choice(s.ways) {
			t, c := s.Thread, s.Choice+1
			if err := w.come(); err != nil {
				return false, err
			}
			if err := w.step(t, c, t, true); err != nil {
				return true, err
			}
			if !w.beyond() {
				w.weigh(w.last, c)
				return true, nil
			}
			w.Pruned++
			continue
		}
		w.consider(&s.Event)
	}
	return false, nil
}

// Len is the number of events of the graph at hand.
func (w *Walk) Len() int { return w.size() }

// Event says of event i how it was made, and whether the switch to its thread was a
// preemption.
func (w *Walk) Event(i int) (e Made, preemption bool) {
	s := &w.steps[i]
	return Made{Thread: s.Thread, Choice: s.Choice, Begin: s.begin, Last: s.last}, s.couldGoOn && s.Thread != s.running
}

// Done is which share of the search is done, as far as one guesses (estimate.go).
func (w *Walk) Done() float64 { return w.estimate.done }
