package por

import "landgo/internal/trace"

// A System is a deterministic multithreaded program under a search's control.
//
// The search calls Mark in a state that it may want again, Threads to see which
// threads can run, Step to run one of them, and Rewind to come back. A Step of a
// thread whose status isn't Ready is a fault of the search and panics.
type System interface {
	// Threads appends the threads of the current state to dst in ascending
	// order of TID, exited ones included. An empty or all-exited result, or
	// one without a Ready thread, is the end of an execution.
	Threads(dst []trace.Thread) []trace.Thread
	// Step runs thread t, with outcome c, to its next preemption point. The
	// transition is valid until the state before it is rewound past. After a
	// transition with End EndProcess or EndBug the execution is over: Threads
	// isn't asked again before a Rewind.
	// An error (a guest that can't be controlled) ends the search; ErrFiner
	// starts it again.
	Step(t trace.TID, c trace.Choice) (*trace.Transition, error)
	// Mark remembers the current state.
	Mark() trace.Mark
	// Rewind comes back to a marked state.
	Rewind(trace.Mark)
}

// Census is a System that keeps its list of threads from state to state.
type Census interface {
	// Present is what Threads says. It is the System's, and holds until Present is
	// called again.
	Present() *trace.Present
}

// ErrFiner is trace.ErrFiner: the search rewinds to its root and starts again.
var ErrFiner = trace.ErrFiner
