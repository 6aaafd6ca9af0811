package format

import "landgo/internal/trace"

// kinds has a sentence on each kind of bug, for formats that list the rules of a tool.
var kinds = map[trace.BugKind]string{
	trace.Assertion:          "The program ends with a failed assertion, an abort, a panic or a failing exit status in an interleaving of its threads.",
	trace.Deadlock:           "Threads wait for ever for what no thread gives them.",
	trace.Livelock:           "Threads run for ever without getting on.",
	trace.Segfault:           "A thread accesses memory that isn't there or isn't its to access.",
	trace.IllegalInstruction: "A thread runs into what is no instruction.",
	trace.DivideError:        "A thread divides by zero, or the quotient is too large.",
	trace.UseAfterFree:       "A thread accesses a block of memory that was freed.",
	trace.DoubleFree:         "A block of memory is freed twice.",
	trace.InvalidFree:        "A thread frees something that is no allocated block, or another allocator's block.",
	trace.DoubleAllocation:   "An allocator gives away memory that is in use.",
	trace.HeapOverflow:       "A thread accesses memory beside a block.",
	trace.DeadStack:          "A thread accesses the stack of a thread that has ended, or variables of a function that has returned.",
	trace.StackOverflow:      "A stack is full.",
	trace.LockMisuse:         "A lock is used against its rules: unlocked by a thread that doesn't hold it, say.",
	trace.Leak:               "A block of memory isn't freed when the program ends.",
	trace.UninitialisedRead:  "A run depends on memory that was never written.",
	trace.Race:               "Two threads access the same memory in both orders, one of them writes, and nothing orders them.",
	trace.Invariant:          "A condition that is to hold always doesn't hold.",
	trace.Unreached:          "A condition that is to hold at some time never did.",
	trace.Linearizability:    "Calls of an object gave results that no order of the calls explains.",
	trace.Output:             "The program prints something else than in another interleaving.",
}
