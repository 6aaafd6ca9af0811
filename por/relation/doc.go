// Package relation is the relation between the events of an execution: dependence,
// happens-before, and races. The searches of package por ask it; it knows neither a search nor a
// System.
//
// # The files
//
//	event.go         an event, a step that may be taken, and when two depend
//	kinds.go         the table of operations: which pairs on one object commute
//	commuting.go     what commutes beyond that: what tells the orders apart isn't used
//	tested.go        additions that commute where their results are on one side of a number
//	order.go         happens-before: a clock vector for each event (Push, Pop)
//	predecessors.go  the events that a new one directly comes after
//	reversible.go    whether the second of two could have come first
//	conflicts.go     all events that one depends on
//	sequence.go      v: what to run so that a race is the other way round
//	excuse.go        why a race needn't be reversed yet, and whether that still holds
//	await.go         steps that only some values let go on
//	buffer.go        store buffers: their updates as events
//	sources.go       loads and stores without an order but by which store is found
//	digest.go        the digest of a trace, for searches that only count traces
//	index.go, table.go  the last accesses and operations, by address and object
//
// Invariant: the relation is a function of the events pushed and not popped. An
// Order that took events back answers as one that never had them.
package relation
