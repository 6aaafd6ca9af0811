// Package litmus has small programs and three judges of their outcomes on x86. These are
// an operational machine with store buffers, a set of axioms, and C sources to run on a
// processor. None of them is landgo's, so they can tell whether landgo is right.
//
// The machine is x86-TSO (Sewell, Sarkar, Owens, Zappa Nardelli and Myreen, "x86-TSO: a
// rigorous and usable programmer's model for x86 multiprocessors", CACM 2010). The tests
// are critical cycles, as diy makes them (Alglave, Maranget, Sarkar and Sewell, "Fences in
// weak memory models", CAV 2010).
//
// Invariant: nothing here knows anything of por, race or scheduler.
//
// # The files
//
//	tests    program (threads, instructions), cycle (critical cycles), mixed (accesses to
//	         parts of words; such a test in C)
//	judges   machine (with store buffers), axioms; native: the processor, by source (in C)
//	forall   a fence for all threads
package litmus
