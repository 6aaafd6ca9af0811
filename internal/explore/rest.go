package explore

import "math"

// foresight is how much is left of a search, by its own estimates. Nothing is left out by it: it
// says what is worth doing beside. Estimates are mostly too low by two or three times. They are
// wrong where each turn of a loop seems to be half of all that is left.
type foresight struct {
	all   float64 // how many steps the search has in all, by the latest; 0: there was none
	wrong int     // how often the search had made far more than that when the next one came
}

// rest is how many steps a search that has made so many needs for what is left, if this share of
// it is done.
func rest(made uint64, share float64) uint64 {
	if share <= 0 || float64(made)/share >= math.MaxInt64 {
		return math.MaxUint64
	}
	return uint64(float64(made)/share) - made
}

// foresee takes the next estimate.
func (f *foresight) foresee(made uint64, share float64) {
	if f.all > 0 && float64(made) > 2*f.all {
		f.wrong++
	}
	if f.all = 0; share > 0 {
		f.all = float64(made) / share
	}
}

// soonOver reports whether a search that has made so many steps seems to need no more than that. What is
// due beside it then waits for twice as many steps, at most.
func soonOver(made, due, rest uint64) bool { return made < 2*due && rest <= made }
