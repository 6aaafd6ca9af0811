package por

import (
	"fmt"
	"sort"
	"strings"
)

// A Search explores the executions of a System.
type Search interface {
	// Run explores sys from its current state on, until nothing is left, the
	// observer or Options stop it, or a step fails; the System is left in some
	// state of its own.
	Run(sys System, obs Observer) (Stats, error)
}

// An Observer sees each execution as it ends, and how far the search is.
type Observer interface {
	// Ended is called at each end of an execution, cut ones included, while
	// the System stands at that end. It may look at the System, but not step
	// it. It returns false to stop the search.
	Ended(x *Execution) bool
	// Progress is called every few thousand transitions.
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
	// in (0, 1]; Executions/Share is an estimate of their number.
	Share float64
}

// Options configure a search. The zero value explores everything.
type Options struct {
	// Bound is "" or "preempt=N": only executions with at most N preemptions.
	Bound string
	// Iterate, with a bound, explores bound 0 first, then 1, and so on, so that
	// the first bug found has the fewest preemptions. Executions and
	// transitions of a lower bound are counted (and observed) once; running
	// them again is Replayed.
	Iterate bool
	// OneEvent promises that which bytes and objects a step works on is settled
	// by its thread's own state before it: it makes one access or operation, as
	// with a preemption point before every access (--pp mem), or takes locks
	// before it and releases its locks after it. What a reversed step will do is
	// then known, up to the success of a try or of a compare-and-exchange and to
	// releases. Without it the searches stay sound, and optimal may run
	// executions that turn out redundant (Stats.Blocked).
	OneEvent bool
	// Unmerged promises, with OneEvent, that a step that takes a lock does
	// nothing else. Otherwise what a thread that stays blocked would have done
	// with its lock isn't known, and optimal may run redundant executions in
	// programs with deadlocks.
	Unmerged bool
	// MaxExecutions, if not 0, stops the search after so many executions.
	MaxExecutions uint64
	// Stop, if not nil, is polled every few hundred transitions; true stops
	// the search.
	Stop func() bool

	// fault switches one rule of a search off, for a test of its tests.
	fault fault
}

// Stats are a search's counts.
type Stats struct {
	Executions  uint64 // maximal runs that reached an end, bugs and deadlocks included
	Blocked     uint64 // runs cut as redundant
	Pruned      uint64 // runs cut by a bound
	Transitions uint64 // steps really run
	Replayed    uint64 // steps run again only to come back to a state
	Restarts    uint64 // times that sharing was learned and everything began again
	// Complete: the whole space was explored, within the bound if there is one.
	Complete bool
}

// kind describes a search by name.
type kind struct {
	strategy func(*explorer) strategy
	bounds   bool   // sound under a preemption bound
	why      string // why not
}

var kinds = map[string]kind{
	"none":    {newExhaustive, true, ""},
	"sleep":   {newSleep, false, "a thread asleep at one number of preemptions may be needed at a lower one (Coons et al., Fig. 1)"},
	"dpor":    {newDPOR, false, "it leaves out executions for others that may have more preemptions (Coons et al., Fig. 1)"},
	"source":  {newSource, false, "it leaves out executions for others that may have more preemptions (Coons et al., Fig. 1)"},
	"optimal": {newOptimal, false, "it leaves out executions for others that may have more preemptions (Coons et al., Fig. 1)"},
}

// Names lists the searches in alphabetical order.
func Names() []string {
	var names []string
	for n := range kinds {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

type search struct {
	kind  kind
	opts  Options
	bound int // -1: none
}

// New returns the search of that name.
func New(name string, opts Options) (Search, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("no search %q: use one of %s", name, strings.Join(Names(), ", "))
	}
	bound, err := parseBound(opts.Bound)
	if err != nil {
		return nil, err
	}
	if bound >= 0 && !k.bounds {
		return nil, fmt.Errorf("search %s isn't sound under a bound: %s; use search none", name, k.why)
	}
	if bound < 0 && opts.Iterate {
		return nil, fmt.Errorf("iterating needs a bound: add preempt=N")
	}
	return &search{kind: k, opts: opts, bound: bound}, nil
}

// Run implements Search.
func (s *search) Run(sys System, obs Observer) (Stats, error) {
	x := newExplorer(sys, obs, s.opts, s.kind.strategy)
	if !s.opts.Iterate {
		x.bound = s.bound
		err := x.run()
		return x.stats, err
	}
	return iterate(x, s.bound)
}
