package por

import "landgo/por/relation"

// strategy makes a search: it decides which branches each state has.
type strategy interface {
	// needs says what the explorer has to do for the search, which may change it
	// between two executions.
	needs() *needs
	// reset is called at a start from the root.
	reset()
	// seed fills the backtrack set of a new state, in which a thread can run. The
	// wakeup tree of the state before wants kids there.
	seed(n *node, kids *branch) error
	// ran is called for each new event, before the state after it is entered.
	ran(i int32)
	// expire is called in each state in which no thread can run until a wait
	// runs out (trace.Thread.Expiring), before it does.
	expire()
	// end is called at each end of an execution.
	end(e Ending)
}

// passive is a strategy's indifference to what is run.
type passive struct{}

func (passive) reset()     {}
func (passive) ran(int32)  {}
func (passive) expire()    {}
func (passive) end(Ending) {}

// needs is a search's requests to the explorer.
type needs struct {
	order bool // happens-before is kept
	// raceless: the races of the execution aren't asked for.
	raceless bool
	digest   bool // of the order, the trace's digest alone is asked for
	sleep    bool // sleep sets are
	// freely: sleep sets take no heed of the bound (naivebpor.go).
	freely bool
	// retaken: what is run now was run before, and isn't counted again
	// (endless.go).
	retaken bool
	// mark, if not nil, says to which states the search will go back; else it may
	// be any. Such a search saves itself.
	mark func(depth int) bool
	// left, if not nil, is called when the walk has gone back to a state.
	left func(depth int)
	// late: a wholly explored state may still get branches.
	late bool
	// refill, if not nil, may give such a state more branches.
	refill func(n *node) (bool, error)
	// allow, if not nil, may refuse a branch because of a bound.
	allow func(n *node, b *branch) bool
	// beyond, if not nil, says at the end of an execution that its trace is
	// beyond the bound.
	beyond func() bool
}

// handle is all that a search has of the explorer. A search keeps those of its
// parts that it uses.
type handle struct {
	spec  Spec
	opts  *Options
	path  *path      // the execution under way, to be read
	sets  *backtrack // branches to explore from its states, to be added to
	next  *pending   // the next operations of its threads
	meter *meter     // its spending of the bounds, nil without bounds
	stats *Stats     // a search counts what a bound of its own cuts off
	// budget says whether to stop.
	budget *budget
	hasher Hasher // the System, nil if it can't tell states apart
	// restart begins the search again from the root, without what it has counted.
	restart func()
	// comeTo has the System come back to the state of n.
	comeTo func(n *node)
}

// sequence returns a sequence for the races of the path.
func (h *handle) sequence() *relation.Sequence {
	return relation.NewSequence(h.path.order, h.opts.OneEvent)
}

// leavesOut reports whether the reversal of a race isn't looked at: the search is
// to stop, or fault noProcessEnd says so.
func (h *handle) leavesOut(r relation.Race) bool {
	return h.opts.fault == noProcessEnd && h.path.event(r.Second).Global || h.budget.pollWithin(int(r.Second-r.First))
}

// resumer is a strategy that knows more of the path than it can build again
// from its events.
type resumer interface {
	remember() *resumeState
	// resumed is called when the path was built again, with what was remembered
	// when it was left, nil if that was another unit's. It fails if that can't be
	// read.
	resumed(m *resumeState) error
}

// resumeState is the memory of a resumer: which races of the path are still
// open. For a search that isn't divided it also has the round of a bound that is
// raised, and what else can't be built again.
type resumeState struct {
	open         []int32
	settled      int
	limit, fresh int32
	own          []byte
}
