package trust

import (
	"landgo/internal/trace"
	"landgo/por/relation"
)

// A walk's view of the search that it is part of, and of the program.

// System is the program (por.System).
type System interface {
	// Threads appends the threads of the current state to dst, in ascending order.
	Threads(dst []trace.Thread) []trace.Thread
	// Step runs thread t, with outcome c, to its next preemption point.
	Step(t trace.TID, c trace.Choice) (*trace.Transition, error)
	// Mark remembers the current state, Rewind comes back to one.
	Mark() trace.Mark
	Rewind(trace.Mark)
}

// Search is the search that a walk is part of.
type Search interface {
	// Poll is called every few hundred steps, and reports whether the walk is to stop.
	Poll() (stop bool)
	// Ended takes an end of an execution, while the System stands there. false: the walk
	// is to stop.
	Ended(e *End) bool
	// RunOut lets the execution run on after t, in which points became finer.
	RunOut(t *trace.Transition) (stop bool, err error)
}

// Config says which graphs a walk visits.
type Config struct {
	// Limit is the last round, from 0 on, that an event may be in; -1: any (rounder.go).
	Limit int32
	// Dropping: a graph beyond the bound is dropped.
	Dropping bool
	// Awaits: the System spares the walk the polls of loops (por.Awaiter).
	Awaits bool
	// OneEvent and Unmerged are promises of the System's (por.Options).
	OneEvent, Unmerged bool
	// Without is a rule that is left out, for a test of tests.
	Without Rule
}

// Rule is a rule of the walk.
type Rule uint8

const (
	_          Rule = iota
	Maximality      // else a revisit is made whatever the graph was made of
	Displacers      // else whichever of several events displaced a thread counts
	Pending         // else operations pending at an execution's end revisit nothing
	Outcomes        // else only the first outcome of a step is explored
	Revisits        // else every third revisit is left out
	Weights         // else it isn't guessed how much is done
)

// Counts are the numbers of a walk's steps.
type Counts struct {
	Pruned      uint64 // steps that the bound forbade
	Transitions uint64 // steps really run
	Replayed    uint64 // steps run again only to come back to a state
	Used        uint64 // of both, since the search has set it to 0
}

// Ending says how an execution ended.
type Ending uint8

const (
	Whole     Ending = iota // no thread can run
	Redundant               // another graph of its trace counts
	Beyond                  // the bound keeps threads from going on
)

// End is an end of an execution. It is valid during the call of Search.Ended.
type End struct {
	How Ending
	// Last is the last step, ByProcess whether it ended the process.
	Last      *trace.Transition
	ByProcess bool
	// Threads are those of the last state before an end of the process, and of the final
	// state otherwise.
	Threads     []trace.Thread
	Preemptions int
}

// Made is a step that made an event, by the System's names.
type Made struct {
	Thread      trace.TID
	Choice      trace.Choice
	Begin, Last uint64 // the thread's own instructions
}

// Writer takes what a walk at rest is (rest.go), as numbers.
type Writer interface {
	Put(numbers ...uint64)
	PutStep(s *relation.Step)
}

// Reader gives back what a Writer took. The bytes may be damaged: it gives zeros then.
type Reader interface {
	Get() uint64
	// Below is a number that has to be below limit.
	Below(limit uint64) uint64
	// Length is that of a list.
	Length() int
	Step() relation.Step
	// Refuse says that what was read can't be, Refused that something couldn't.
	Refuse()
	Refused() bool
}
