package explore

import "time"

// A bug that was found is told as it is, and then in a shorter way if there is one. How
// long landgo looks for that is limited by counts (minimiseSteps, minimiseLimit), and by
// a time: the user waits for the story. Where the time ends it, the story is another
// one on a slower machine.
const (
	// refiningShare: refining takes at the most one part in so many of the time that
	// the search took, for all bugs together,
	refiningShare = 5
	// but mostRefining at the most.
	mostRefining = 30 * time.Second
)

// leastRefining is what it may take in any case. Tests that compare two runs have it
// take as long as the counts let it.
var leastRefining = time.Second

// refiningTime is how long the refining of each of some bugs may take, after a search
// of so long.
func refiningTime(search time.Duration, bugs int) time.Duration {
	all := min(search/refiningShare, mostRefining)
	return max(all/time.Duration(max(bugs, 1)), leastRefining)
}

// refining begins the refining of a bug.
func (h *hunt) refining() {
	search := time.Duration(h.result.SearchSeconds * float64(time.Second))
	h.patience = h.Clock.Elapsed() + refiningTime(search, len(h.found))
}

// tired reports whether refining is to end.
func (h *hunt) tired() bool { return h.stop() || h.Clock.Elapsed() >= h.patience }
