// Package heap is the model of a guest's allocated memory: its blocks, their
// lives, and the errors of accesses and frees.
//
//	scheduler ── gives and takes blocks ──> Heap ── lives ──> access.go, free.go, leak.go
//	                                          └── Arena: where trusted blocks lie
//
// A block is one life of a piece of memory, from the allocator's call that gave
// it out to the one that took it back. Memory that is given out again is another
// block, of the next generation at its address.
//
// Invariant: the model is a function of the calls made since its beginning.
// Rewind takes it back to a Mark, with all that was logged after it (log.go), so that it
// is part of the state that a search goes back to.
//
// # The files
//
//	blocks      heap (all lives), pages (blocks by their pages), cover (which block an address was in)
//	errors      access, free, leak
//	back        log, digest
//	arena       the trusted allocator: where blocks lie
package heap
