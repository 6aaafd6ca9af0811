// Package debugger has a debugger's questions about a recorded run, and their answers.
// They are the words between the process that has the run and the one that has the
// user.
//
// A run is a sequence of ticks. A tick is an instruction of one thread, or a part of one
// that other threads see in parts, or a call that landgo carries out for a thread. A
// moment is a number of ticks that were made: 0 is the beginning.
//
// Invariant: nothing here changes the run. Each moment has one state.
//
// By the same connection a user chooses by hand which thread is next (Chooser): there
// is a run in the making then, and steps in place of ticks.
//
// # The files
//
//	target   a recorded run, as a debugger has it; choose: one in the making
//	remote   both in another process: questions and answers
package debugger
