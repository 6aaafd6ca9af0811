// Package enumerate counts, by brute force, what the guests can do: how many
// Mazurkiewicz traces a small abstract program has, which bugs it reaches, and
// with how few preemptions. It is the independent judge of the expectations
// beside the guests: it shares no code with landgo's searches, its machine or
// its scheduler, and has no reduction that they have.
//
// A program is written in a mini language of loads, stores, read-modify-writes and
// synchronisation operations (program.go and statement.go). It is compiled to flat code
// (code.go), run one event at a time by a deterministic interpreter (state.go, event.go,
// spin.go), and enumerated level by level (enumerate.go). Dependence alone decides what
// counts as the same trace (dependence.go). It follows landgo's published dependence and not its
// implementation.
//
// # The files
//
//	a program   program, statement (the mini language), code (flat)
//	it is run   state, event (one at a time), spin (loops that wait)
//	all of it   enumerate (level by level), dependence (what is the same trace)
package enumerate
