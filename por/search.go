package por

import "errors"

// A Search explores the executions of a System.
type Search interface {
	// Run explores sys from its current state on, until nothing is left, the
	// observer or Options stop it, or a step fails. The System is left in some
	// state of its own.
	Run(sys System, obs Observer) (Stats, error)
}

// An Observer sees each execution as it ends, and how far the search is.
type Observer interface {
	// Ended is called at each end of an execution, cut ones included, while
	// the System stands at that end. It may look at the System, but not step
	// it. It returns false to stop the search.
	Ended(x *Execution) bool
	// Progress is called every few thousand transitions, and when a search is
	// stopped before its end.
	Progress(p Progress)
	// Restarted is called when a step learned of points missed before
	// (ErrFiner) and the search starts again: all executions so far are void,
	// and will come again in finer steps.
	Restarted()
}

// Progress says how far a search is.
type Progress struct {
	Stats Stats
	// Share is the estimated share of the search's executions that are done,
	// in (0, 1]; Executions/Share is an estimate of their number. 0: not known.
	Share float64
}

// Options configure a search. The zero value explores everything.
type Options struct {
	// Bounds limit the executions that are explored.
	Bounds Bounds
	// Iterate, with a bound, explores bound 0 first, then 1, and so on. So the
	// first bug found has the fewest preemptions, or the least of what the first
	// bound counts. Executions and transitions of a lower bound are counted (and
	// observed) once; running them again is Replayed.
	Iterate bool
	// From is the bound that Iterate begins with; what has more than Bounds allow is
	// taken for that.
	From int
	// OneEvent promises that a thread's own state settles, before a step, which
	// bytes and objects the step works on. It makes one access or operation, as
	// with a preemption point before every access (--pp mem), or takes locks before
	// it and releases its locks after it. The effects of a reversed step are then
	// known, up to the success of a try or of a compare-and-exchange and to
	// releases. Without it the searches stay sound, and optimal may run executions
	// that turn out redundant (Stats.Blocked).
	OneEvent bool
	// Unmerged promises, with OneEvent, that a step that takes a lock does
	// nothing else. Otherwise what a thread that stays blocked would have done
	// with its lock isn't known, and optimal may run redundant executions in
	// programs with deadlocks.
	Unmerged bool
	// EndsAnywhere: an end of the process doesn't come last where it only cuts other
	// threads off, for a comparison of all states in which an execution ends.
	EndsAnywhere bool
	// MaxExecutions, if not 0, stops the search after this many executions.
	MaxExecutions uint64
	// Uncounted has a search that samples count no distinct traces: an execution
	// costs nothing but its steps then, for happens-before isn't kept.
	Uncounted bool
	// Longest, if not 0, is after how many steps a search that samples leaves an
	// execution, and counts it as pruned.
	Longest int
	// Variable, if not nil, is the variable that an address is in, size 0 if none.
	// Equal for all addresses of a variable (static.go).
	Variable func(addr uint64) (lo, size uint64)
	// Leaves, if not 0, is after how many steps a search leaves an execution, and counts it
	// as pruned. It proves nothing then.
	Leaves int
	// TooLong, if not 0, is after how many steps of one execution a search that doesn't
	// sample ends with ErrTooLong.
	TooLong int
	// Stop, if not nil, is polled every few hundred transitions; true stops
	// the search.
	Stop func() bool

	// Crew, if not nil, offers workers to a search that can be divided (Spec.Whole), unless
	// MaxExecutions is given. A search that stops after this many goes in one order from the
	// start.
	Crew Crew
	// Away, if not nil, has parts of a divided search worked on elsewhere too.
	Away Away
	// WarmUp, if not 0, is after how many transitions without news of finer
	// points a search is divided. UnitSteps, if not 0, is how many a unit has in
	// a batch, at the most. The counts of a search depend on them. For tests.
	WarmUp, UnitSteps uint64

	// SaveNow, if not nil, is polled as Stop is; true has Save called with the
	// state of the search, for Resume.
	SaveNow func() bool
	// SaveLast, if not nil, is asked where Stop or MaxExecutions ends the search between two
	// steps; true has Save called there, too. (Not where a search of graphs has run
	// MaxExecutions, or a batch of a divided one is cut short.)
	SaveLast func() bool
	Save     func(state []byte) error
	// Resume, if not nil, is such a state, of the same program and search: the
	// search goes on from there.
	Resume []byte

	// For tests: how many units a batch has (batch.go), and how often a search polls
	// (budget.look).
	batchUnits int
	partUnits  int // of a part that is lent (away.go)
	look       uint32
	// fault switches one rule of a search off, for a test of its tests.
	fault fault
}

// ErrTooLong is an execution of more steps than Options.TooLong.
var ErrTooLong = errors.New("an execution is too long")

// Stats are a search's counts.
type Stats struct {
	Executions  uint64 // maximal runs that reached an end, bugs and deadlocks included
	Assumed     uint64 // of these, runs without a bug in which an assumption didn't hold
	Blocked     uint64 // runs cut as redundant
	Pruned      uint64 // runs cut by a bound
	Transitions uint64 // steps really run
	Replayed    uint64 // steps run again only to come back to a state
	Restarts    uint64 // times that sharing, or what threads may do, was learned and everything began again
	Distinct    uint64 // of a sampling search: different traces among its executions
	// Levels is, of a search by ascending bound (Options.Iterate), how many values of
	// the bound are explored to their ends, from 0 on, while it is under way.
	Levels uint64
	// Longest is, of a search that goes back in its path, how many steps the longest
	// execution had.
	Longest uint64
	// Weighed is how many events were looked at to reverse races. Where executions have
	// thousands of races, that takes longer than the steps.
	Weighed uint64
	// Complete: the whole space was explored, within the bound if there is one.
	Complete bool
}

type search struct {
	spec Spec
	opts Options
}

// New returns the search that text names, with its options ("pct:d=3").
func New(text string, opts Options) (Search, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return nil, err
	}
	if err := spec.Check(opts.Bounds); err != nil {
		return nil, err
	}
	if len(opts.Bounds) == 0 && opts.Iterate {
		return nil, &BoundError{"iterating needs a bound: add preempt=N"}
	}
	return &search{spec: spec, opts: opts}, nil
}

// Run implements Search.
func (s *search) Run(sys System, obs Observer) (Stats, error) {
	k := s.spec.kind
	if k.run != nil {
		return k.run(sys, obs, s.spec, s.opts)
	}
	x := newExplorer(sys, obs, s.spec, s.opts)
	err := x.run()
	if d, ok := x.strat.(interface{ drop() }); ok {
		d.drop()
	}
	return x.stats, err
}
