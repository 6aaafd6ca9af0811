package por

import (
	"errors"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// trust is TruSt (Kokologiannakis, Marmanis, Gladstein and Vafeiadis, "Truly
// stateless, optimal dynamic partial order reduction", POPL 2022; Algorithm 2 of
// Marmanis and Vafeiadis 2023) for sequential consistency, over a System.
//
// An execution graph G holds events and the happens-before order between them,
// the transitive closure of the papers' po, rf, co and fr by bytes. Under
// sequential consistency that is a Mazurkiewicz trace: a read's sources and a
// byte's coherence order can be read off it.
//
// VISIT adds the next event of the thread whose turn it is, after everything
// (forward). Each event a that it adds, or could add if the thread weren't
// blocked, revisits the events to which it would have made a difference
// (trustrevisit.go). Say thread t did r at its turn, in the graph S, and a comes
// before r. Then the graph becomes K and a, where K is S with all that has to
// come before a. Then t goes on.
//
// A graph is realised by the steps of the System in the order in which its
// events were added. Forward is one step; a revisit is a Rewind to S and the
// rest of K. No value is ever given to a read.
//
// That every trace is visited, once: guided(K) is the run that takes turns as
// forward does from the empty graph, with one exception. A thread's event may
// come before one of K's that it depends on, though it doesn't in K. Then that
// one comes first, with what happens before it. The graph P that a revisit of K
// by a is made from is guided(K) up to a's turn, and nothing else: that is what
// ISMAXIMAL decides (trustmaximal.go). So each graph has one parent. (A thread
// that was displaced may then be blocked, so that what could have displaced it
// too follows in turn. If K has that as well, guided(K) says which of them did:
// findings 19 and 20.)
//
// From any trace parents lead to the empty graph, for a parent is a prefix of
// the graph, or has r in place of a revisit. Write A for a forward step and B
// for a revisit, A before B: the words of steps grow smaller in the
// lexicographic order. And each graph's children are looked through, all pairs
// of r and K. So the search tree is the reverse search (Avis and Fukuda) of this
// parent function. Two things are asked of dependence: that it is valid
// (relation/kinds.go), and that an event is possible and the same wherever all
// that happens before it in K has happened. Hence one event a step
// (SingleEvents). Where the trace doesn't tell the order in which several events
// displaced one thread, one order counts (trustcanonical.go; others are
// Blocked).
//
// Memory: the graph at hand, what the revisits under way threw away
// (trustkept.go), and nothing per graph visited, but for what says how much is
// done (trustestimate.go). When the graphs of a revisit are done, P is put back,
// or made again as guided(K) (again in trustmaximal.go).
//
// The subtree of a graph shares nothing with others. So another worker can take
// it, and this one goes on as if it was done with (trustdivision.go).
//
// Blocking: a thread may be blocked at its turn before a lock, a semaphore or
// another operation in which others take part. Then its turn is passed over, but
// what it would do revisits there and then. At the end of an execution so does
// what is still blocked, and the steps that an end of the process cut off. A
// wait that runs out is passed over too, before it does. A thread that was
// displaced and is blocked since has its turn again when it can run.
//
// Spins: a thread that is back at the head of its loop as it was goes on only
// because another wrote what the loop read (Thread.Waits), before it came back
// or since. The trace doesn't settle which. So its next event counts as a read
// of all that, in either case, and waits for no thread (Transition.Wakes)
// besides. Each trace of that order is visited once.
//
// A try or a compare-and-exchange that fails depends on less than where it
// succeeds. Say it fails at its turn in P, and in K it succeeds, after a read of
// K that isn't in P yet. Then something in P that K doesn't have wrote what it
// found. That write depends on the read, and so the read came before it. So all
// of K is there when the event's turn comes (trustdisplacers.go says in which
// order), and a failure is the read that it is. One thing this needs: the write
// wrote all its bytes. A compare-and-exchange that found bytes of several writes
// (patched) is ordered like one that succeeds, also with reads and other
// failures (findings 5, 12 and 25). Of the graphs that are then one trace one
// counts (representative in trustcanonical.go), the others are Blocked.
//
// Deviations:
//   - The papers give a read its source, and a write its place in co, when they
//     are added, and only writes revisit reads. Here co and fr are causes like
//     rf. An event is always added last, and a later one, read or write, that has
//     to come before it revisits. Objects' operations, accesses of any bytes and
//     the end of the process are then events like others; a lock is its acquires
//     and releases in their order. What stays before the revisiting event,
//     besides its causes, is a choice (candidate.take): readers that a revisiting
//     write may come after.
//   - next is the paper's leftmost thread, for programs in which no thread waits.
//     A thread that can go on again doesn't get its turn before those after it
//     have had theirs. So what a revisit throws away and makes again stays short.
//   - A revisit's r is taken out, and added again at t's turn, which is next.
//   - Steps with several outcomes are as many events; only the first is maximal.
type trust struct {
	graph
	budget
	obs   Observer
	opts  Options
	stats Stats
	limit int32 // of rounds, -1 for none (rounder.go)
	cut   bool  // the bound forbade a revisit
	ended Execution
	// dropping: a graph beyond the bound is dropped (rounder.go).
	dropping bool

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
	pending []*branch
	which   int
	spare   []*kept // what is free of trustkept.go
	room    eventRoom
	guide   guide
	displ   displacers
	plan    []planned
	found   []int32
	pairs   [][2]int32
	zero    []int32
	did     *relation.Order // of what the events did, for trustcanonical.go
	dropped int             // for fault dropBacktrack
}

// runTrust is Kind.run of trust and rounder.
func runTrust(sys System, obs Observer, spec Spec, opts Options) (Stats, error) {
	b := &graphDivision{spec: spec, opts: opts, root: sys.Mark()}
	b.walk = newTrust(sys, obs, spec, opts)
	from := opts.Resume
	for {
		w := b.walk
		err := w.taught(b.once(from))
		if err != nil {
			return w.stats, err
		}
		w.sys.Rewind(b.root)
		if !w.finer {
			if w.stats.Complete && w.cut && w.stats.Pruned == 0 {
				w.stats.Pruned = 1
			}
			if w.stopped {
				obs.Progress(b.progress())
			}
			return w.stats, nil
		}
		from = nil
		w.stats = Stats{Restarts: w.stats.Restarts + 1}
		w.finer, w.cut = false, false
		obs.Restarted()
	}
}

// taught takes an error that says that points became finer for that.
func (w *trust) taught(err error) error {
	if errors.Is(err, ErrFiner) {
		w.finer, err = true, nil
	}
	return err
}

func newTrust(sys System, obs Observer, spec Spec, opts Options) *trust {
	w := &trust{obs: obs, opts: opts, limit: -1}
	if k, ok := opts.Bounds.Limit(Rounds); ok {
		w.limit, w.dropping = int32(k), spec.Param(early.Name) == 0
	}
	w.graph.sys, w.cand.g = sys, &w.graph
	w.budget.opts, w.ended.walk = &w.opts, w
	return w
}

// explore visits the graphs that are left of the walk's subtree, until rest says
// so between two of them. over: all are.
func (w *trust) explore(done bool, rest func() (bool, error)) (over bool, err error) {
	for {
		if !done {
			if yes, err := rest(); yes || err != nil {
				return false, err
			}
			if err := w.forward(); err != nil || w.over() {
				return false, err
			}
		}
		done = false
		more, err := w.back()
		if err != nil || w.over() || !more {
			return err == nil && !w.over(), err
		}
	}
}

func (w *trust) over() bool { return w.stopped || w.halted || w.finer }

// forward adds the next event of the thread whose turn it is until no thread can
// run, or nothing within the bound can come of it any more.
func (w *trust) forward() error {
	for {
		tip := w.tip()
		if tip.next == trace.NoThread {
			return w.leaf()
		}
		if err := w.turn(true); err != nil || w.over() {
			return err
		}
		if w.beyond() {
			w.end(EndedPruned)
			w.weighEnd()
			return nil
		}
	}
}

// turn adds the next event of the thread whose turn it is, with its first
// outcome. One beyond the bound it passes over, unless that ends the graph.
func (w *trust) turn(fresh bool) error {
	t := w.tip().next
	if err := w.step(t, 0, t, fresh); err != nil || w.over() {
		return err
	}
	beyond := w.beyond()
	if fresh && beyond {
		w.stats.Pruned++
	}
	if !beyond || w.dropping {
		if fresh {
			w.weigh(w.ended.Last, 0)
		}
		return nil
	}
	b := w.pool.copy(&w.pop().Event, 0)
	if err := w.come(); err != nil {
		return err
	}
	w.hold(b)
	return nil
}

// step adds an event and counts it.
func (w *trust) step(t trace.TID, c trace.Choice, turn trace.TID, fresh bool) error {
	ways, ok := w.able(t)
	if w.opts.fault == oneOutcome {
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
	w.ended.Last = tr
	if w.finer && w.at == w.size() {
		w.stopped, err = runOut(w.sys, w.interrupted, tr)
	}
	return err
}

func (w *trust) count(fresh bool, n int) {
	if fresh {
		w.stats.Transitions += uint64(n)
	} else {
		w.stats.Replayed += uint64(n)
	}
	w.used += uint64(n)
	for ; n > 0; n-- {
		if w.polled++; w.polled&0xff == 0 {
			w.giveWay()
			w.interrupted()
		}
		if w.polled&0xfff == 0 && w.batch == nil {
			w.obs.Progress(w.progress())
		}
	}
}

// come is graph.come, counted.
func (w *trust) come() error {
	n, err := w.graph.come()
	w.count(false, n)
	return err
}

// leaf ends an execution, and finds what was still to come in it.
func (w *trust) leaf() error {
	e := EndedProcess
	if w.at < 0 {
		if w.ended.Last.End == trace.EndBug {
			e = EndedBug
		}
	} else {
		for k := range w.threads {
			switch s := w.threads[k].Status; {
			case s == trace.Ready:
				e = EndedPruned // all threads that could run are held
			case s != trace.Exited && e != EndedPruned:
				e = EndedStuck
			}
		}
	}
	if e != EndedPruned && !w.canonical() {
		e = EndedBlocked
	}
	w.end(e)
	w.gatherPending()
	w.weighEnd()
	return nil
}

func (w *trust) progress() Progress { return Progress{Stats: w.stats, Share: min(w.estimate.done, 1)} }

// end counts and reports an end of an execution.
func (w *trust) end(e Ending) {
	switch e {
	case EndedBlocked:
		w.stats.Blocked++
	case EndedPruned: // counted with the steps held
	default:
		w.stats.ended(e, w.threads)
	}
	w.ended.Ending, w.ended.Preemptions, w.ended.Threads = e, int(w.tip().preemptions), w.threads
	if !w.obs.Ended(&w.ended) || w.opts.MaxExecutions > 0 && w.stats.Executions >= w.opts.MaxExecutions {
		w.stopped = true
	}
}

// errUnmade is a broken invariant: each revisit's graph has been made again when
// all that came of it is done.
var errUnmade = errors.New("search trust has lost the graph that a revisit was made from: use search optimal")

// back leaves graphs of which everything is explored, and goes on to the next.
func (w *trust) back() (more bool, err error) {
	for !w.over() {
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
				w.weigh(w.ended.Last, c)
				return true, nil
			}
			w.stats.Pruned++
			continue
		}
		w.consider(&s.Event)
	}
	return false, nil
}

func (w *trust) depth() int { return w.size() }

func (w *trust) pathSteps(dst []PathStep) []PathStep {
	for i := range w.steps[:w.size()] {
		s := &w.steps[i]
		dst = append(dst, PathStep{Thread: s.Thread, Choice: s.Choice, Begin: s.begin, Last: s.last, Preemption: s.couldGoOn && s.Thread != s.running})
	}
	return dst
}
