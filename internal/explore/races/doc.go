// Package races has race detectors look on while a search runs. For each data-race
// candidate it keeps the path on which it was seen. It describes candidates for a
// result, and says which conflicting accesses a verdict's points left out.
// Invariant: detectors go back with the guest, and change nothing of it.
//
// # The files
//
//	watched     the detectors, and the guest whose steps they see
//	list        candidates, as a result has them
//	unexamined  conflicts that a verdict's points left out
package races
