package por

import (
	"slices"

	"landgo/internal/trace"
)

// Ending says how an execution ended.
type Ending uint8

const (
	// EndedProcess: the process ended, or all threads have.
	EndedProcess Ending = iota
	// EndedBug: a step ended with a bug.
	EndedBug
	// EndedStuck: a thread is alive and none can run: a deadlock, or a livelock
	// if all wait in spins.
	EndedStuck
	// EndedBlocked: cut, for what follows is explored elsewhere.
	EndedBlocked
	// EndedPruned: cut by the bound. Other runs from this state may go on.
	EndedPruned
)

func (e Ending) String() string {
	return [...]string{"process end", "bug", "stuck", "blocked", "pruned"}[e]
}

// PathStep is one step of an execution.
type PathStep struct {
	Thread      trace.TID
	Choice      trace.Choice
	Begin, Last uint64
	// Preemption: the switch to this step's thread was a preemption.
	Preemption bool
	// Limit is the thread's instruction before which a replay cut the step off,
	// where less was known of what threads share than in the search; 0: it wasn't.
	Limit uint64
	// Stride is how many accesses and operations the step could make before it ended at the next one, or at an
	// instruction, Aim; 0: one, as steps of searches do.
	Stride uint32
	Aim    uint64
}

// Execution is an execution at its end. Valid during the call of Ended only.
type Execution struct {
	Ending      Ending
	Preemptions int
	// Last is the last transition, nil if there was none.
	Last *trace.Transition
	// Threads are those of the last state before an end of the process, and of
	// the final state otherwise.
	Threads []trace.Thread

	walk walker
}

// walker is the walk that an execution belongs to.
type walker interface {
	depth() int
	pathSteps(dst []PathStep) []PathStep
}

// Len is the number of the execution's steps.
func (e *Execution) Len() int { return e.walk.depth() }

// Path appends the execution's steps to dst.
func (e *Execution) Path(dst []PathStep) []PathStep { return e.walk.pathSteps(dst) }

// ended counts an execution that ended, with the threads of its last state.
func (s *Stats) ended(e Ending, threads []trace.Thread) {
	if s.Executions++; assumedAway(e, threads) {
		s.Assumed++
	}
}

// AssumedAway reports whether an assumption didn't hold, and no step ended with a bug.
func (e *Execution) AssumedAway() bool { return assumedAway(e.Ending, e.Threads) }

// assumedAway is AssumedAway. Where the process has ended, a thread may not have come to its assumption.
func assumedAway(e Ending, threads []trace.Thread) bool {
	return e != EndedBug && slices.ContainsFunc(threads, func(t trace.Thread) bool {
		return t.Pending.Kind == trace.OpAssume && t.Status == trace.Blocked || t.Assumes && e == EndedStuck
	})
}
