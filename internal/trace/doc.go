// Package trace is the vocabulary that the other packages share: threads,
// accesses, synchronisation operations, transitions, choices and schedules.
//
// It is a leaf: it imports nothing of landgo, so that the searches (por), the
// observers (race, heap) and the machine (emu) can be built and tested without
// each other.
//
// # The files
//
//	steps         trace (threads, accesses, transitions), tested (additions whose results are compared), op
//	              (operations), present (which threads can go on), polls (what a search is spared)
//	runs          schedule, points (preemption points), faults (calls that fail by choice), bug (kinds)
//	machine       regs, signal (names), digest (of states)
package trace
