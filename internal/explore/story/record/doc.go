// Package record has what one execution did, step by step, and answers what happened when: which
// accesses met, which locks a thread held, what came between two accesses. A Beat is one step with
// all that was seen of it; an At is the place of an access. A record knows no machine, and asks a
// Guest for names. Invariant: an answer follows from the events alone, and no answer changes them.
// Only the guest's own locks are put in, once, before the first question.
//
// # The files
//
//	record    a run, a beat, an access, a call and its line
//	walk      a thread's accesses to and fro, the write that an access reads, conflicts
//	index     where threads touched which words, for long runs
//	between   what comes between two accesses, before or after one
//	locks     those held at an access, where they were taken
//	section   what a thread does from taking a lock to releasing it
//	waits     waits on condition variables, their tests and signals
//	buffer    stores that are delayed in a store buffer
//	ownlock   locks of one word, of the guest's own
//	ownpair   such locks of two words: with tickets, or with a flag for each thread
package record
