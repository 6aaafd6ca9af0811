// Package race finds data-race candidates: pairs of instructions that access
// the same bytes from different threads, at least one writing, without an order
// between them. It watches transitions as a search runs them and goes back with
// it; its findings stay.
//
// Two definitions of order, as in Blum and Gibson (OOPSLA 2016, §2.2), and one
// of our own for what is called a bug (adjacent.go):
//
//   - HB, pure happens-before (Lamport): two accesses race unless synchronisation
//     orders them. That is creation, join, a lock's release before its next
//     acquisition, a wake-up, a barrier, a locked instruction before the next one
//     on the same bytes. It misses a race that another execution's order of two
//     critical sections would show.
//   - Limited happens-before (O'Callahan and Choi, PPoPP 2003): locks and locked
//     instructions order nothing; instead accesses under a common lock don't
//     race. It finds more, some of them false: where the order of two critical
//     sections is forced by the data that they exchange.
//
// Clocks are kept as in FastTrack (Flanagan and Freund, PLDI 2009): of an
// access only its epoch is kept, its thread's own time. Deviation: FastTrack
// keeps one write and, if reads are unordered, one read a thread, since it
// reports the first race of a variable. Here a variable keeps the last access
// of each (thread, instruction, lockset), because each racing instruction
// becomes a preemption point. A pair of instructions is a candidate
// (candidate.go), and class.go classifies it. The end of a heap block's life
// conflicts with every access to the block.
//
// Invariant: after Rewind(k) the detector answers as if nothing had been
// watched since Mark returned k, but for the candidates, which only grow.
//
// # The files
//
//	what races    race (a Detector, in three modes), history (an access against those before it), site
//	              (where accesses were), adjacent (mode Adjacent), candidate, class
//	orders        order (clocks of threads and objects), sync (what operations order), clock (vectors),
//	              leaves (those of many threads), lockset
//	store buffers triangular (triangular races), triangularjudge, triangularops (what operations drain),
//	              triangularasleep (before there may be one), triangularguard (as long as
//	              locks keep all apart)
package race
