package por

import (
	"math/rand/v2"

	"landgo/internal/trace"
)

// sampling is the walk of the searches that sample: run after run from the root,
// without going back. A sampler picks every step of a run at random
// (randomwalk.go, pct.go, pos.go). It proves nothing; it says how many distinct
// traces it saw (distinct.go). Divided, a unit is some runs (sampledivision.go).
//
// Run r draws from a generator of its own, seeded with the option seed and r, so
// that a seed gives the same runs on every machine. Memory grows with the number
// of distinct traces.
type sampling struct {
	handle
	x        *explorer // whose walk it leads
	sampler  sampler
	rand     *rand.Rand
	distinct distinct
	done     uint64 // runs
	runs     uint64 // to do
	ended    bool   // the run under way has
	root     trace.Mark
	first    int // the first state with something to pick, -1: not known
}

// sampler picks the steps of an execution.
type sampler interface {
	// reset forgets what earlier runs taught.
	reset()
	// begin starts run r.
	begin(r uint64)
	// pick names a ready thread of the state of n; the threads are path.threads.
	pick(n *node) trace.TID
	// ran is called for event i before the state after it is looked at; for those
	// that all runs begin with, at the beginning of each run.
	ran(i int32)
	// ended is called with the length of the run that has ended.
	ended(steps int)
	// taught is the lesson of the first runs; teach hands that to the runs that
	// follow.
	taught() int
	teach(int)
}

// untaught is a sampler for which a run teaches nothing.
type untaught struct{}

func (untaught) reset()      {}
func (untaught) ended(int)   {}
func (untaught) taught() int { return 0 }
func (untaught) teach(int)   {}

func newSampling(h handle) *sampling {
	return &sampling{handle: h, runs: h.spec.Param("runs")}
}

func (s *sampling) needs() *needs {
	return &needs{order: !s.opts.Uncounted, digest: true, mark: s.mark}
}

func (s *sampling) reset() {
	s.done, s.first = 0, -1
	s.distinct.clear()
	s.sampler.reset()
}

// seed has one branch; of a step with several outcomes one is as likely as
// another.
func (s *sampling) seed(n *node, _ *branch) error {
	t := s.sampler.pick(n)
	c := trace.Choice(0)
	if k := s.path.outcomes(n, t); k > 1 {
		c = trace.Choice(s.rand.Uint32N(uint32(k)))
	}
	n.todo = s.sets.pool.named(t, c)
	return nil
}

func (s *sampling) ran(i int32) { s.sampler.ran(i) }

func (s *sampling) expire() {}

func (s *sampling) end(Ending) {
	s.ended = true
	s.done++
	if s.path.order != nil {
		s.stats.Distinct = s.distinct.add(s.path)
	}
	s.sampler.ended(s.path.depth())
}

// leave leaves the run under way, which is too long.
func (s *sampling) leave() {
	n := &s.x.nodes[len(s.x.nodes)-1]
	s.sets.pool.putAll(n.todo)
	n.todo = nil
	s.done++
	s.stats.Pruned++
	s.sampler.ended(s.path.depth())
}

// enough reports whether the run under way is over, or too long.
func (s *sampling) enough() bool {
	return s.ended || s.opts.Longest > 0 && s.path.depth() >= s.opts.Longest
}

// runSampling is Kind.run of the searches that sample. Complete means that all
// runs were made.
func runSampling(sys System, obs Observer, spec Spec, opts Options) (Stats, error) {
	x := newExplorer(sys, obs, spec, opts)
	s := samplingOf(x)
	x.root = sys.Mark()
	from := opts.Resume
	for {
		x.reset()
		s.root = x.root
		if from != nil {
			err := s.unpack(from)
			if err == nil && s.done > 0 {
				err = s.lead()
			}
			if err != nil {
				return x.stats, err
			}
		}
		if err := s.once(); err != nil {
			return x.stats, err
		}
		if !x.again() {
			return x.stats, nil
		}
		from = nil
	}
}

// samplingOf is the search of a walk that samples.
func samplingOf(x *explorer) *sampling {
	s := x.strat.(*sampling)
	s.x = x
	return s
}

// once makes all runs that are left: some in a row, and if that isn't all, the
// others divided.
func (s *sampling) once() error {
	x := s.x
	alone := x.spec.warmUp(&x.opts)
	for s.done < s.runs && !x.stopped && !x.finer {
		if x.divisible() && s.done >= pilots && x.stats.Transitions >= alone {
			return s.divide()
		}
		if err := s.run(); err != nil {
			return err
		}
		if x.opts.SaveNow != nil && x.opts.SaveNow() && !x.stopped && !x.finer {
			if err := x.opts.save(s.pack()); err != nil {
				return err
			}
		}
	}
	x.stats.Complete = s.done == s.runs && !x.finer
	if x.opts.enough(&x.stats) && !x.stats.Complete && !x.finer {
		return x.opts.saveLast(s.pack)
	}
	return nil
}

// run makes one run. The beginning of all runs, up to the first state in which
// there is anything to pick, is run once.
func (s *sampling) run() error {
	x := s.x
	s.rand = rand.New(rand.NewPCG(x.spec.Param("seed"), s.done))
	s.ended = false
	s.sampler.begin(s.done)
	if s.first < 0 {
		x.at = 0
		if err := x.open(nil); err != nil {
			return err
		}
	} else {
		n := &x.nodes[s.first]
		x.comeTo(n)
		for i := 0; i < s.first; i++ {
			s.sampler.ran(int32(i))
		}
		n.ended = false
		if err := s.seed(n, nil); err != nil {
			return err
		}
	}
	if err := s.goOn(s.enough); err != nil || x.over() {
		return err // the walk starts afresh, or is over
	}
	if !s.ended {
		s.leave()
	}
	s.goBack()
	return nil
}

// goOn steps until there is enough.
func (s *sampling) goOn(enough func() bool) error {
	x := s.x
	for !enough() && !x.over() {
		if x.due {
			if err := x.poll(); err != nil {
				return err
			}
			continue
		}
		n := &x.nodes[len(x.nodes)-1]
		if err := x.step(n, x.take(n)); err != nil {
			return err
		}
	}
	return nil
}

// lead runs what every run begins with, for a walk that begins with another run
// than the first. It isn't counted: the first run has.
func (s *sampling) lead() error {
	x := s.x
	stats := x.stats
	s.rand = rand.New(rand.NewPCG(0, 0))
	s.ended = false
	s.sampler.begin(s.done)
	x.at = 0
	if err := x.open(nil); err != nil {
		return err
	}
	if err := s.goOn(func() bool { return s.ended || s.first >= 0 }); err != nil || x.over() {
		return err
	}
	if s.ended { // there is nothing to pick: this was a run like any other
		s.goBack()
		return nil
	}
	x.stats, x.used = stats, 0
	n := &x.nodes[s.first]
	x.sets.pool.putAll(n.todo)
	n.todo = nil
	return nil
}

// goBack goes back to where the next run begins.
func (s *sampling) goBack() {
	x := s.x
	for len(x.nodes) > max(s.first, 0)+1 {
		x.close()
	}
	n := &x.nodes[len(x.nodes)-1]
	x.sets.pool.putAll(n.done)
	n.done = nil
	if s.first < 0 {
		x.nodes, x.choices, x.spins, x.waits = x.nodes[:0], x.choices[:0], x.spins[:0], x.waits[:0]
		clear(x.spin)
		x.sys.Rewind(s.root)
	}
}

// mark says whether the walk needs a mark at state i, which has something to
// pick.
func (s *sampling) mark(i int) bool {
	if s.first < 0 {
		s.first = i
	}
	return s.first == i
}

// share is how many of the runs are done.
func (s *sampling) share() (share float64, known bool) {
	return float64(s.done) / float64(s.runs), true
}
