// Package saved is a run's files to go on from: checkpoints of searches
// and kernels that were booted. Invariant: a file is written whole or not at all, and
// one that doesn't fit what is to go on from it, or is damaged, is refused.
//
// # The files
//
//	checkpoint  a search, to go on from; saver: when it is time to save
//	deepening   a deepening; outputs: of executions
//	part        a part of a search for another process
//	boot        a kernel that is up, or a program's start
package saved
