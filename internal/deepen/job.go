package deepen

// Job is the exploration of one state space: the executions in which threads
// are switched at the points of one set only. The caller runs it, and keeps
// Executions, Steps and Share up to date.
type Job struct {
	ID    int // from 1, in the order in which jobs were added
	Set   Set
	State State

	Executions uint64
	Steps      uint64  // run so far: the unit of all times here
	Void       uint64  // of these, those that count for nothing: the search has begun again since
	Share      float64 // estimated, of the space, 0: not known
	// Class is of the candidate for which the job was added, Seed for the others.
	Class Class
}

// State is the state of a job.
type State uint8

const (
	Pending State = iota
	Running
	Suspended
	// Finished: its whole space was explored without a bug.
	Finished
	// Failing: a bug was found in it.
	Failing
	// Covered: not run, because a superset was finished.
	Covered
	// Dropped: not run, or not to its end, because a bug was found in a subset.
	Dropped
	// Stuck: an execution in it has no end that the caller could find.
	Stuck
)

func (s State) String() string {
	return [...]string{"pending", "running", "suspended", "verified", "bug", "covered", "dropped", "stuck"}[s]
}

// Over: there is nothing left to run.
func (s State) Over() bool { return s >= Finished }

// Never is an unknown ETA, which no time is enough for.
const Never = 1e300

// ETA is how many steps the rest of the job is estimated to take: Never if the
// estimator has nothing to say yet.
func (j *Job) ETA() float64 {
	if j.Share <= 0 {
		return Never
	}
	return float64(j.counted()) * (1 - j.Share) / j.Share
}

// counted is how many steps the search has made since it began, or began again.
func (j *Job) counted() uint64 { return j.Steps - j.Void }

// Class says why a job may be worth its time: the lower, the more urgent
// (HeuristicPriority, Blum and Gibson, §3.5).
type Class uint8

const (
	// Seed: not a race's.
	Seed Class = iota
	// BothOrders: a race whose accesses were seen in both orders.
	BothOrders
	// OneOrder: a race seen in one order only. It is more likely to be a false
	// one.
	OneOrder
)
