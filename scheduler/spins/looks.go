package spins

import (
	"slices"

	"landgo/internal/trace"
)

// Where a thread looks in its loop.

// Looks are accesses in the order in which they were made first, one of each place in the code.
type Looks []trace.Access

// Note adds one.
func (l *Looks) Note(a *trace.Access) {
	if !slices.ContainsFunc(*l, func(o trace.Access) bool { return o.PC == a.PC }) {
		*l = append(*l, *a)
	}
}

// leastTurns is how often a thread at least stays in a loop that is learned as one, once it looks again.
const leastTurns = 3

// LookPlaces are the instructions by which a thread looks again and again that stands before one of them. turn runs it
// for a turn; ok: it stays, and stands before the next. A loop that ends before leastTurns isn't one: its few turns cost
// less than what is learned of it late. A longer one may go on with loads elsewhere, twice or more: some pause first,
// and then yield.
func LookPlaces(first trace.Access, turn func() (next trace.Access, ok bool)) (pcs []uint64) {
	from := -1 // where they begin among all those of its turns
	later := map[uint64]bool{}
	at := first
	for n := range MostTurns {
		switch pc := at.PC; {
		case from < 0:
			pcs = append(pcs, pc)
		case slices.Contains(pcs[from:], pc) || at.IsWrite():
		case later[pc]:
			pcs = append(pcs, pc)
		default:
			later[pc] = true
		}
		next, ok := turn()
		if !ok {
			if n < leastTurns {
				from = -1
			}
			break
		}
		if at = next; from < 0 {
			from = slices.Index(pcs, at.PC)
		}
		if from < 0 && n+1 == leastTurns {
			break
		}
	}
	if from < 0 {
		return nil
	}
	return pcs[from:]
}
