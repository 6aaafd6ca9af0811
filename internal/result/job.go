package result

// Job is one of the spaces of a run that chose its preemption points itself: the executions with
// switches at the points of one set.
type Job struct {
	// PP is the set, as --pp takes it.
	PP string `json:"pp"`
	// Bound is the measure that bounds the job, in ascending order: "preempt",
	// "delay"; "" is no bound.
	Bound string `json:"bound,omitempty"`
	// At is the value of that bound whose executions were being explored when the run
	// ended: those within it are explored in part. Absent if there is none.
	At *int `json:"at,omitempty"`
	// Search is the job's search, if it isn't the one that was asked for:
	// "stateful", where an execution had no end; "samples", executions at random,
	// which prove nothing. "optimal:symmetry=1" is spared more orders.
	Search string `json:"search,omitempty"`
	// State: "verified" (explored to its end, without a bug), "bug" (one was
	// found in it), "suspended" (left for others, or when the run ended),
	// "pending" (not begun). Not run: "covered" (a set that includes it is
	// verified), "dropped" (a set that it includes has a bug). "stuck": one of
	// its executions doesn't end.
	State string `json:"state"`
	// Race, of a set that was thought of for a data-race candidate: in which
	// orders its accesses had been seen, "one order" or "both orders".
	Race string `json:"race,omitempty"`
	// After is how many executions had been run when the set was thought of: 0
	// too for the candidates of the first execution.
	After      uint64 `json:"after"`
	Executions uint64 `json:"executions"`
	Blocked    uint64 `json:"blocked"`
	// Transitions is the number of steps run, repeated ones included.
	Transitions uint64 `json:"transitions"`
	// Explored is the estimated share of its space, from 0 to 1, and Estimate
	// the estimated number of its executions; 0 while nothing is known. Estimate is
	// null if it is beyond all numbers.
	Explored Amount `json:"explored"`
	Estimate Amount `json:"estimate"`
}

// Samples is the search of a job that runs executions at random.
const Samples = "samples"
