// Package byhand is a run whose next thread a user chooses.
//
//	rows     the steps of the run, those taken and those that lie ahead (row.go)
//	position how many of them are taken; marks lead back (position.go)
//	choice   a step of a thread at the position, in place of what lay ahead (choice.go)
//	what-if  a run from the position that goes on by itself, and is taken back (whatif.go)
//	view     what is shown of all that (view.go)
//	learning what threads share, before the first choice and when a step teaches it (learn.go)
//
// A step may teach landgo that memory is shared, and earlier steps end sooner then. The
// rows are made anew by their schedule, which is the same at any granularity.
//
// Invariant: the machine stands at the position between two moves, and a move that fails
// changes nothing that the user sees.
package byhand
