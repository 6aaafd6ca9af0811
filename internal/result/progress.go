package result

import "time"

// Progress is how far a search is.
type Progress struct {
	// Phase is landgo's activity: "searching", "minimising", "replaying".
	Phase                                    string
	Executions, Blocked, Pruned, Transitions uint64
	// Bugs is the number of distinct bugs found so far.
	Bugs    int
	Elapsed time.Duration
	// Explored is the share of the space explored, from 0 to 1; 0 while it
	// isn't known.
	Explored float64
	// Estimate is the estimated number of executions in all; 0 while it isn't
	// known.
	Estimate Amount
	// Left is how long the rest will take; 0 while it isn't known.
	Left time.Duration
	// Rises: the estimates grow. So it is likely to take longer than that.
	Rises bool
	// BoundedAt and BoundedBy are the Result's, as far as is known.
	BoundedAt *int
	BoundedBy string
	// Jobs are the spaces begun and not over, of a run that chooses its preemption points itself;
	// the running one is the first. Verified and Waiting are how many others are explored to
	// their ends, and not begun.
	Jobs              []JobProgress
	Verified, Waiting int
}

// JobProgress is how far one of several spaces is.
type JobProgress struct {
	PP         string // as --pp takes it
	Running    bool
	Executions uint64
	Explored   float64       // 0: not known
	Left       time.Duration // 0: not known
}
