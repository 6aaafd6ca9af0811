// Package deepen decides which of many state spaces of one program to explore
// when. This is iterative deepening by the number of preemption points (Blum
// and Gibson, OOPSLA 2016, §3, Algorithms 1, 2 and 3). It knows spaces as sets
// of preemption points, and their explorers' reports: executions, steps, an
// estimate, data-race candidates, bugs. It runs nothing itself.
//
// Terms of the paper: a job is a set of preemption points and the exploration of
// its space; pending ones haven't begun, suspended ones were left for others.
// The minimal space has voluntary switches only, the maximal one all points that
// are known.
//
// Invariant: a Plan's decisions depend only on the calls made so far. Times are
// numbers of steps. So a caller that derives the remaining time from such
// numbers, and not from a clock, gets the same jobs in the same order every
// time.
//
// Deviations, each named again at its line:
//   - There is a job that preempts at every access from the start (Options.All):
//     a superset of all others. It is run first, for a warm-up: a space that is
//     small is finished so, and what races at all is mostly known after it.
//   - The maximal space with synchronisation only grows by what the explorer
//     says is needed for a proof (Conclude), not by every candidate.
//   - A job isn't left for a pending superset of its own, as in the authors'
//     program (§3.4 compares with the suspended ones only).
//   - A job that may be the proof is run for a warm-up as soon as it is there. It is taken
//     up again when the others have had as much time as it is estimated to need. So to find
//     its end takes about twice as long as without them. The one with All has a share of
//     the time in any case (wholeShare).
//
// # The files
//
//	plan     the jobs, and what their reports make of them
//	job      the exploration of one space
//	choose   which is next; set: a space's points
//	saved    a plan as plain data
package deepen
