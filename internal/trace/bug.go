package trace

// BugKind is a kind of bug, by the name that users see.
type BugKind string

const (
	Assertion          BugKind = "assertion" // assert, abort, panic, a failing exit status
	Deadlock           BugKind = "deadlock"  // also of some threads only
	Livelock           BugKind = "livelock"
	Segfault           BugKind = "segfault"
	IllegalInstruction BugKind = "illegal-instruction"
	DivideError        BugKind = "divide-error"
	UseAfterFree       BugKind = "use-after-free"
	DoubleFree         BugKind = "double-free"
	InvalidFree        BugKind = "invalid-free"
	DoubleAllocation   BugKind = "double-allocation"
	HeapOverflow       BugKind = "heap-overflow"
	DeadStack          BugKind = "stack-use-after-end"
	StackOverflow      BugKind = "stack-overflow"
	LockMisuse         BugKind = "lock-misuse"
	Leak               BugKind = "leak"
	UninitialisedRead  BugKind = "uninitialised-read"
	Race               BugKind = "race"
	Output             BugKind = "output"          // another one than in another execution
	Invariant          BugKind = "invariant"       // a condition that is to hold always doesn't
	Unreached          BugKind = "unreached"       // one that is to hold at some time never did
	Linearizability    BugKind = "linearizability" // results that no order of the calls explains
)

// BugKinds lists them.
var BugKinds = []BugKind{Assertion, Deadlock, Livelock, Segfault, IllegalInstruction, DivideError, UseAfterFree, DoubleFree, InvalidFree,
	DoubleAllocation, HeapOverflow, DeadStack, StackOverflow, LockMisuse, Leak, UninitialisedRead, Race, Output,
	Invariant, Unreached, Linearizability}
