// Package shorter changes the execution of a bug, as long as the bug comes: it leaves preemptions out,
// makes values smaller, and looks for an execution near it that passes. It knows executions and
// failures, and no search: whether a failure is wanted is a Judge's matter, and how long all may
// take a Budget's. Invariant: an execution is taken only if it ended with the bug, with no more
// preemptions than before.
//
// # The files
//
//	shorten   a bug's execution and its turns, without some of its preemptions
//	places    executions with one preemption, two or three, at places where the bug's has some
//	strides   executions that go on past points, with one of the bug's preemptions, or two
//	values    smaller values, and fewer failures of calls
//	near      an execution that passes and differs in little
package shorter
