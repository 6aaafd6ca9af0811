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
	// Present is the list that Threads gives. It is the System's, and holds until Present is
	// called again.
	Present() *trace.Present
}

// Awaiter is a System that can spare a search the polls of a loop. A step that only
// brings its thread back to where it was, with no effect, isn't possible then
// (trace.Thread.Awaits). Neither is one whose effect the thread takes back on its way to where it
// was, if nothing tells that.
type Awaiter interface {
	// Await says whether the System does so from now on. It stands at the state in which
	// a search begins.
	Await(on bool)
	// EndLate says whether ends of the process that only cut other threads off come last
	// from now on (trace.Thread.Late).
	EndLate(on bool)
	// WouldGo is about the steps of the present execution that wrote the bytes which thread
	// t, an awaiting one, is about to read. It says whether t could go on with the value
	// before each of them. It calls f for each, newest first; back is how many steps came
	// after it. Each of these writes is of all these bytes. Where the thread's store buffer has
	// answered since a write, or would now, what is said of that write doesn't count.
	WouldGo(t trace.TID, f func(back int, goes bool))
	// News reports whether points became finer in WouldGo, and no step has told it since. It is
	// asked once.
	News() bool
}

// Parker is a System that can have a thread stop for good where it has gone round a loop for nothing
// (trace.Thread.Parked). A wait may not run out because no other thread can run than such a one.
type Parker interface {
	// Park says whether the System does so from now on. It stands at the state in which a
	// search begins, and Await was called before.
	Park(on bool)
}

// Blender is a System that can tell which steps have the same effect in both orders, because what
// tells them apart isn't used. These are read-modify-writes (trace.Blend) and arrivals at a
// barrier (trace.Gathers).
type Blender interface {
	// Blend says whether the System does so from now on. It stands at the state in which a
	// search begins.
	Blend(on bool)
}

// Counter is a Blender that can tell of further additions: of their results no more is used than
// whether a count was above a bound, as that of references is. They blend as long as it was, in
// each order (above.go).
type Counter interface {
	// Count says whether the System does so from now on. It stands at the state in which a
	// search begins, and Blend was called before.
	Count(on bool)
	// Counts calls f for each addition of the present execution that blends, newest first; back
	// is how many steps came after it. One with a Least may have found less.
	Counts(f func(back int, c *trace.Count))
	// Uncount says that an addition doesn't always find as much. It doesn't blend from now on,
	// and the search begins again.
	Uncount(back int)
}

// Tester is a Blender that knows tested additions (trace.TestedAddition): of their results it only
// matters on which side of a number they are.
type Tester interface {
	// Test says whether the System does so from now on. It stands at the state in which a
	// search begins, and Blend and Count were called before.
	Test(on bool)
}

// Overwriter is a System that can tell which exchanges with memory are stores and nothing else,
// because what they find there isn't used: they blend as trace.BlendStore.
type Overwriter interface {
	// Overwrite says whether the System does so from now on. It stands at the state in which
	// a search begins.
	Overwrite(on bool)
	// Unread says whether stores by several threads to bytes that no step reads are told to have
	// no order from now on (unread.go). It is called as Overwrite is, and Blend before.
	Unread(on bool)
	// Overwritten is called where an execution ends. It reports whether there is news of such bytes,
	// and the search begins again. A step that reads some says so itself.
	Overwritten() bool
}

// Symmetric is a System that knows threads which nothing tells apart: in every execution two of
// them could change places. Such threads take their first steps in the order of their
// creation, which the later one waits for (trace.Transition.Frees).
type Symmetric interface {
	// Symmetry says whether the System does so from now on. It stands at the state in which a
	// search begins.
	Symmetry(on bool)
}

// ErrFiner is trace.ErrFiner: the search rewinds to its root and starts again.
var ErrFiner = trace.ErrFiner
