// Package model is a tiny in-memory multithreaded machine: a por.System for
// tests of the searches, without an emulator.
//
// A Program is a few threads of simple instructions over shared bytes and synchronisation
// objects. A Machine runs it one event at a time, as package scheduler runs a guest. A step
// carries out the event that the thread stands at and goes on to just before the next one.
// A thread always stands at a known event. Invariant: all state lives in one array of words
// that is assigned through an undo log, so Mark and Rewind cost what was changed.
//
// # The files
//
//	a program     program (its instructions), bench (the papers' programs)
//	a step        machine, step, operation (on locks and their like), memory (accesses), digest (of a state)
//	store buffers buffer (a step at a time, for the searches), tso (all outcomes by another way, as a judge)
//	reductions    await and counted (spins), above (counts that stay above zero), tested (additions
//	              whose results are compared, or that threads await), unread (stores that nothing reads), alike (symmetry), backout, hint (loads before an exchange),
//	              assume (reads behind which an assumption fails)
package model
