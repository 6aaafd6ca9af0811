package explore

import (
	"time"

	"landgo/internal/explore/limits"
)

// A bug that was found is reported as it is, and then in a shorter way if there is one. How long
// landgo looks for that is limited by counts (minimise.go). Where steps take long, as those of
// kernels and of programs with a hundred threads do, a time ends it before: the user waits for
// the story. The story is another one on a slower machine then. It is processor time, so that it
// isn't where a machine is only busy.
const (
	// refiningShare: refining takes at the most one part in this many of what the search took,
	// for all bugs together,
	refiningShare = 5
	// but mostRefining at the most.
	mostRefining = 30 * time.Second
)

// leastRefining is the time that each bug may take in any case: more than minimiseSteps take a
// program. Tests that compare two runs have it take as long as the counts let it.
var leastRefining = 2 * time.Second

// refiningTime is how long the refining of each of some bugs may take, after a search
// of so long.
func refiningTime(search time.Duration, bugs int) time.Duration {
	all := min(search/refiningShare, mostRefining)
	return max(all/time.Duration(max(bugs, 1)), leastRefining)
}

// readable is how many preemptions a story may have that is read. One with more, as of
// a random walk through a kernel, is shortened for mostRefining, however soon it was
// found.
const readable = 16

// refining begins the refining of a bug.
func (h *hunt) refining() {
	search, now := time.Duration(h.result.SearchSeconds*float64(time.Second)), limits.ProcessorTime()
	h.patience = now + refiningTime(search, len(h.found))
	h.unreadable = now + max(mostRefining/time.Duration(max(len(h.found), 1)), leastRefining)
}

// worn reports whether the shortening of a story is to end.
func (s *shortener) worn() bool {
	looks := len(s.path)&63 == 0
	if s.settling {
		return looks && s.stop()
	}
	if s.shortens && s.want.preemptions > readable {
		return s.run.steps >= s.pace(mostMinimiseSteps) || looks && (s.stop() || limits.ProcessorTime() >= s.unreadable)
	}
	return s.run.steps >= s.run.most || looks && s.tired()
}

// tired reports whether refining is to end.
func (h *hunt) tired() bool { return h.stop() || limits.ProcessorTime() >= h.patience }
