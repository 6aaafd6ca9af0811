package por

import (
	"cmp"
	"math"

	"landgo/internal/trace"
	"landgo/por/relation"
)

// explorer is EXPLORE of the papers, the depth-first walk that most searches
// share: it runs, rewinds and counts. A strategy says which branches a state has.
//
// The walk of one execution: enter a state (open), take its next branch, step,
// enter the state after. So it goes on to a state where no thread can run or every
// branch is redundant (end). Then leave states, newest first, until one has a
// branch left, rewind to it, and go on from there.
type explorer struct {
	path
	budget
	sys     System
	obs     Observer
	spec    Spec
	opts    Options
	strat   strategy
	needs   *needs
	stats   Stats
	counted trace.Present // of a sys that doesn't keep its threads (Census)
	sets    backtrack
	next    pending
	counts  counts
	// overwriter knows bytes that no step reads, nil if it isn't asked (unread.go).
	overwriter Overwriter
	meter      *meter   // nil without bounds
	rising     *bounded // the search, if it goes by ascending bound
	root       trace.Mark
	finer      bool // the executions so far are void: points became finer, or a search has learned
	ended      Execution
	// exit is the step of the shared state that the walk went back to last.
	exit frontierStep
}

func newExplorer(sys System, obs Observer, spec Spec, opts Options) *explorer {
	x := &explorer{sys: sys, obs: obs, spec: spec, opts: opts}
	x.words, x.ended.walk = 1, &x.path
	x.present = &x.counted
	x.budget = budget{opts: &x.opts, quota: math.MaxUint64, look: cmp.Or(opts.look, 0xff)}
	x.sets = backtrack{path: &x.path, bounded: len(opts.Bounds) > 0}
	x.next = pending{path: &x.path, opts: &x.opts}
	if len(opts.Bounds) > 0 {
		x.meter = newMeter(&x.path, opts.Bounds)
	}
	x.order = relation.New()
	x.order.Ready = x.isReady
	h := handle{spec: spec, opts: &x.opts, path: &x.path, sets: &x.sets, next: &x.next, meter: x.meter, stats: &x.stats, budget: &x.budget, comeTo: x.comeTo, restart: func() { x.finer = true }}
	h.hasher, _ = sys.(Hasher)
	x.strat = spec.kind.strategy(h)
	switch x.needs = x.strat.needs(); {
	case !x.needs.order:
		x.order = nil
	case x.needs.raceless:
		x.order.NoRaces()
	case x.needs.digest:
		x.order.Digests()
	}
	if b, ok := x.strat.(*bounded); ok && b.iterate {
		x.rising = b
	}
	return x
}

// run explores everything, again from the start whenever points became finer.
func (x *explorer) run() error {
	sys := x.sys
	defer func() {
		if s, ok := sys.(Parker); ok {
			s.Park(false)
		}
		if s, ok := sys.(Awaiter); ok {
			s.EndLate(false) // schedules may come from elsewhere
		}
		if s, ok := sys.(Counter); ok {
			s.Count(false)
		}
		if s, ok := sys.(Blender); ok {
			s.Blend(false)
		}
		if s, ok := sys.(Overwriter); ok {
			s.Overwrite(false)
			s.Unread(false)
		}
		if s, ok := sys.(Symmetric); ok {
			s.Symmetry(false)
		}
	}()
	x.spare()
	if x.spec.kind.observes {
		x.observers = newObservers(x.sys, x.order, &x.stats, x.opts.fault)
		x.observers.reads = x.spec.kind.sources
		x.sys, x.ended.walk = x.observers, x.observers
	}
	x.root = x.sys.Mark()
	from := x.opts.Resume
	for {
		x.reset()
		if err := x.once(from); err != nil {
			return err
		}
		if !x.again() {
			return nil
		}
		from = nil
	}
}

// again goes back to the root, and reports whether everything has to be explored
// again because points became finer.
func (x *explorer) again() bool {
	x.sys.Rewind(x.root)
	if !x.finer {
		return false
	}
	x.finer = false
	x.stats = Stats{Restarts: x.stats.Restarts + 1}
	x.obs.Restarted()
	return true
}

// once explores everything, from the root or from where a snapshot was made,
// until points become finer.
func (x *explorer) once(from []byte) error {
	x.used, x.resting = 0, false
	if x.divisible() {
		x.quota = x.spec.warmUp(&x.opts)
	}
	var t *treeDivision
	if from != nil {
		var err error
		if t, err = x.unpack(from); err != nil {
			return err
		}
	}
	if t == nil || t.whole {
		if t == nil {
			x.at = 0
			if err := x.open(nil); err != nil {
				return err
			}
		} else if err := t.units[0].visit(x); err != nil {
			return err
		} else if x.rising != nil {
			t.iteration.from = x.rising.from
			x.rising.iteration = t.iteration
			x.rising.limitTo(x.rising.level)
		}
		x.due = x.used >= x.quota
		if err := x.explore(); err != nil || !x.resting {
			return err
		}
		t = x.divideTree()
	}
	var err error
	if t.workers, t.explorers, err = x.hire(); err != nil {
		return err
	}
	err = x.inBatches(t, t.workers)
	if t.iteration != nil {
		t.iteration.drop()
	}
	return err
}

// reset leaves the path and forgets all that was learned of it.
func (x *explorer) reset() {
	if x.order != nil {
		x.order.Reset()
	}
	x.unwind()
}

// unwind leaves the path, but keeps what costs to build.
func (x *explorer) unwind() {
	x.clear()
	if x.order != nil {
		x.order.Clear()
	}
	if x.meter != nil {
		x.meter.reset()
	}
	x.strat.reset()
}

// over reports whether the walk has to end.
func (x *explorer) over() bool { return x.stopped || x.finer || x.halted }

// explore explores from the current path on, until nothing is left.
func (x *explorer) explore() error {
	for !x.over() && !x.resting {
		if x.due {
			if err := x.poll(); err != nil {
				return err
			}
			continue
		}
		n := &x.nodes[len(x.nodes)-1]
		if n.shared != nil {
			return nil
		}
		b := x.take(n)
		if b == nil && x.needs.refill != nil && x.batch == nil {
			if more, err := x.needs.refill(n); err != nil {
				return err
			} else if more {
				continue
			}
		}
		if b == nil {
			if n.done == nil && !n.ended {
				x.end(n.ending)
			}
			if len(x.nodes) == 1 {
				x.stats.Complete = true
				return nil
			}
			x.close()
			continue
		}
		if err := x.step(n, b); err != nil {
			return err
		}
	}
	if x.stopped && x.batch == nil {
		x.tell()
	}
	if x.opts.enough(&x.stats) {
		return x.saveLast()
	}
	return nil
}

// saveLast has the search saved that stops here, if it can be gone on with from here.
func (x *explorer) saveLast() error {
	if x.batch != nil || x.needs.mark != nil || x.finer {
		return nil
	}
	return x.opts.saveLast(x.pack)
}

// poll is called every few hundred transitions, between two of them.
func (x *explorer) poll() error {
	x.due = false
	x.giveWay()
	if x.interrupted() {
		return x.saveLast()
	}
	if x.batch == nil && x.needs.mark == nil && x.opts.SaveNow != nil && x.opts.SaveNow() {
		x.tell() // it may be the last time
		if err := x.opts.save(x.pack()); err != nil {
			return err
		}
	}
	if x.batch == nil && x.polled&0xfff == 0 {
		x.tell()
	}
	x.resting = x.used >= x.quota
	return nil
}

// tell reports to the observer how far the search is.
func (x *explorer) tell() { x.obs.Progress(Progress{Stats: x.stats, Share: x.share()}) }
