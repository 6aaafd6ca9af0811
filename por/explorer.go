package por

import (
	"cmp"
	"math"

	"landgo/por/relation"
	"landgo/trace"
)

// explorer is the depth-first walk that all searches share: it runs, rewinds
// and counts. A strategy says which branches a state has.
//
// The walk of one execution: enter a state (open); take its next branch; step;
// enter the state after; and so on to a state where nobody can run or every
// branch is redundant (end). Then leave states, newest first, until one has a
// branch left, rewind to it, and go on from there.
type explorer struct {
	sys   System
	obs   Observer
	spec  Spec
	opts  Options
	strat strategy
	stats Stats

	nodes   []node // nodes[i] is the state before event i; the last is the current one
	at      int    // the state in which sys stands, -1: after an end of the process
	threads []trace.Thread
	ready   []uint64  // bit sets of the states' ready threads, words each
	words   int       // of a bit set
	sleep   []*branch // the states' sleep sets, end to end
	choices []choice  // threads with several outcomes, per state
	spins   []spin    // spinning threads and their reads
	spin    []int32   // per thread: index+1 in spins
	waits   []trace.Access
	insns   []uint64 // per thread: its instruction number in the current path

	order *relation.Order // nil if the strategy doesn't need it
	// sampling goes back to one state only, and needs no other marks; nil for
	// searches that don't sample.
	sampling *sampling
	pool     pool

	sleeps bool
	meter  *meter // nil without bounds
	// refill, if not nil, may give a state of which nothing is left to explore
	// more branches.
	refill func(n *node) (bool, error)
	// allow, if not nil, may refuse a branch because of a bound.
	allow func(n *node, b *branch) bool
	// beyond, if not nil, says at the end of an execution that its trace is
	// beyond the bound.
	beyond  func() bool
	freely  bool           // sleep sets take no heed of the bound (naivebpor.go)
	retaken bool           // what is run now was run before (endless.go)
	stuck   relation.Event // scratch, of waitsFor
	low     int            // the least depth since somebody set it
	stopped bool
	finer   bool
	halted  bool  // nobody wants the unit any more
	quits   bool  // halted or stopped amid the work after a transition
	worked  int   // of that work, since it was asked for last
	failed  error // why the search can't go on
	polled  uint32
	look    uint32 // attend is called when none of these bits of polled is set
	due     bool   // attend has something to look at
	root    trace.Mark

	// used counts steps, up to quota; then the walk rests.
	used, quota uint64
	cpu         timeSlice
	resting     bool
	batch       *batch // under way, nil for one who works alone
	index       int    // of the unit in the batch
	// left is the step of the state that the walk went back to last.
	exit   frontierStep
	prefix []*branch // scratch, of planned

	ended Execution
}

// strategy is what makes a search: which branches each state has.
type strategy interface {
	// seed fills the branches of a new state, of which kids are wanted by a
	// wakeup tree. Somebody is ready there.
	seed(n *node, kids *branch)
	// ran is told of each new event, before the state after it is entered.
	ran(i int32)
	// end is told of each end of an execution.
	end(e Ending)
	// expire is told of each state in which nobody can run until a wait runs
	// out (trace.Thread.Expiring), before it does.
	expire()
	// reset is told of a start from the root.
	reset()
	// uses says what the explorer has to keep: the happens-before order, sleep
	// sets.
	uses() (order, sleep bool)
}

// node is a state of the current path, and the event that leads on from it.
type node struct {
	mark        trace.Mark
	marked      bool
	shared      *sharedState // others are at work below it; nil if there is nobody
	copied      bool         // todo is a copy of what shared has
	cur         *branch      // the branch that is being explored: event i
	kept        *branch      // event i for chains, nil until one needs it
	todo        *branch      // to be explored, in order
	done        *branch      // explored
	over        *branch      // refused: over the bound
	begin, last uint64
	running     trace.TID // the thread of the event before
	next        trace.TID // of the guest's own choice (trace.Thread.Next)
	couldGoOn   bool      // switching away from it is a preemption
	preemptions int       // up to here
	sleeps      int32     // x.sleep[sleeps:slept] is the sleep set
	slept       int32
	strays      int32 // of those, the first are strays (wakeup.go)
	choices     int32 // len(x.choices) before
	spins       int32 // len(x.spins) before
	seen        int32 // len(x.waits) before
	depth       int32
	turn        int32  // how many events before it are of that thread, one after the other
	ended       bool   // an execution ended here
	ending      Ending // how, if nothing is left to explore from the start
}

type choice struct {
	thread   trace.TID
	outcomes uint32
}

// spin notes that a thread was seen spinning, with its reads in waits[lo:hi], or
// (old > 0) that it went on: x.spin was old before.
type spin struct {
	thread trace.TID
	lo, hi int32
	old    int32
}

func newExplorer(sys System, obs Observer, spec Spec, opts Options) *explorer {
	x := &explorer{sys: sys, obs: obs, spec: spec, opts: opts, words: 1}
	x.ended.x = x
	if len(opts.Bounds) > 0 {
		x.meter = newMeter(x, opts.Bounds)
	}
	x.quota, x.look = math.MaxUint64, cmp.Or(opts.look, 0xff)
	x.order = relation.New()
	x.order.Ready = func(at int32, t trace.TID) bool { return x.isReady(int(at), t) }
	x.strat = spec.kind.strategy(x)
	var order bool
	if order, x.sleeps = x.strat.uses(); !order {
		x.order = nil
	}
	return x
}

func (x *explorer) depth() int { return len(x.nodes) - 1 }

// run explores everything, again from the start whenever points became finer.
func (x *explorer) run() error {
	x.root = x.sys.Mark()
	from := x.opts.Resume
	for {
		x.reset()
		if err := x.once(from); err != nil {
			return err
		}
		x.sys.Rewind(x.root)
		if !x.finer {
			return nil
		}
		from = nil
		x.stats = Stats{Restarts: x.stats.Restarts + 1}
		x.finer = false
		x.obs.Restarted()
	}
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
			x.open(nil)
			if x.failed != nil {
				return x.failed
			}
		} else if err := x.visit(t.units[0]); err != nil {
			return err
		} else if b, ok := x.strat.(*bounded); ok && b.iterate {
			b.iteration = t.iteration
			x.meter.limits[b.measure] = b.level
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

func (x *explorer) reset() {
	x.clearPath()
	if x.order != nil {
		x.order.Reset()
	}
	if x.meter != nil {
		x.meter.reset()
	}
	x.strat.reset()
}

func (x *explorer) clearPath() {
	for i := range x.nodes {
		n := &x.nodes[i]
		if n.shared == nil { // else others may have them
			x.pool.putAll(n.todo)
			x.pool.putAll(n.done)
		}
		x.pool.putAll(n.over)
		x.pool.putAll(n.cur)
		*n = node{}
	}
	x.nodes, x.ready, x.sleep, x.choices = x.nodes[:0], x.ready[:0], x.sleep[:0], x.choices[:0]
	x.spins, x.waits = x.spins[:0], x.waits[:0]
	clear(x.spin)
	clear(x.insns)
}

// unwind leaves the current path, as reset does, but keeps what costs to build.
func (x *explorer) unwind() {
	x.clearPath()
	if x.order != nil {
		x.order.Clear()
	}
	if x.meter != nil {
		x.meter.reset()
	}
	x.strat.reset()
}

// explore explores from the current path on, until nothing is left.
func (x *explorer) explore() error {
	for !x.stopped && !x.finer && !x.halted && !x.resting {
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
		if b == nil && x.refill != nil {
			if more, err := x.refill(n); err != nil {
				return err
			} else if more {
				continue
			}
		}
		if b == nil {
			if n.done == nil && !n.ended {
				x.end(EndedBlocked)
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
		x.obs.Progress(Progress{Stats: x.stats, Share: x.share()})
	}
	return nil
}

// poll is called every few hundred transitions, between two of them.
func (x *explorer) poll() error {
	x.due = false
	x.cpu.giveWay()
	switch {
	case x.batch != nil:
		x.halted = x.batch.unwanted(x.index)
	case x.opts.Stop != nil && x.opts.Stop():
		x.stopped = true
		return nil
	case x.sampling == nil && x.opts.SaveNow != nil && x.opts.SaveNow():
		x.obs.Progress(Progress{Stats: x.stats, Share: x.share()}) // it may be the last that is told
		if err := x.opts.save(x.pack()); err != nil {
			return err
		}
	}
	if x.batch == nil && x.polled&0xfff == 0 {
		x.obs.Progress(Progress{Stats: x.stats, Share: x.share()})
	}
	x.resting = x.used >= x.quota
	return nil
}

// stopNow polls whether to stop.
func (x *explorer) stopNow() bool {
	if x.batch != nil {
		return x.batch.unwanted(x.index)
	}
	return x.opts.Stop != nil && x.opts.Stop()
}

// pollWithin is told of work, in steps looked at, that can go on for seconds between two
// transitions. It reports whether the search is to stop: what the caller has left
// to do is lost with it.
func (x *explorer) pollWithin(work int) bool {
	if x.worked += work; x.worked >= 1<<20 && !x.quits {
		x.worked = 0
		x.quits = x.stopNow()
		x.stopped, x.halted = x.stopped || x.quits && x.batch == nil, x.halted || x.quits && x.batch != nil
	}
	return x.quits
}

// close leaves the current state, of which nothing is left to explore, and
// with it the event that led there.
func (x *explorer) close() {
	n := &x.nodes[len(x.nodes)-1]
	if n.shared == nil {
		x.pool.putAll(n.done)
	}
	x.pool.putAll(n.over)
	n.done, n.over = nil, nil
	x.sleep, x.choices = x.sleep[:n.sleeps], x.choices[:n.choices]
	x.nodes = x.nodes[:len(x.nodes)-1]
	x.low = min(x.low, len(x.nodes)-1)
	p := &x.nodes[len(x.nodes)-1]
	b := p.cur
	if x.meter != nil {
		x.meter.back(p, b.Thread)
	}
	for k := len(x.spins) - 1; k >= int(n.spins); k-- {
		x.spin[x.spins[k].thread] = x.spins[k].old
	}
	x.spins, x.waits = x.spins[:n.spins], x.waits[:n.seen]
	if k := len(x.spins) - 1; k >= int(p.spins) && x.spins[k].old != 0 {
		x.spin[b.Thread] = x.spins[k].old
		x.spins = x.spins[:k]
	}
	x.insns[b.Thread] = p.begin
	if x.order != nil {
		x.order.Pop()
	}
	p.cur = nil
	if p.shared != nil {
		// What others know of it is a copy, in p.shared.done.
		x.exit = frontierStep{b.Thread, b.Choice}
		x.pool.put(b)
		return
	}
	if p.todo != nil || x.refill != nil { // else nothing will run from p that b could sleep in
		b.Keep()
	}
	b.next, p.done = p.done, b
}
