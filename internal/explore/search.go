package explore

import (
	"fmt"

	"landgo/internal/result"
	"landgo/por"
)

// search runs the configured search and puts verdict and counts into the
// result.
func (h *hunt) search() error {
	opts := por.Options{MaxExecutions: h.Config.MaxExecutions, Stop: h.stop, OneEvent: h.OneEvent(), Bounds: h.Config.Bounds, Variable: h.Image.Extent, Leaves: h.leaves}
	if _, rounds := h.Config.Bounds.Limit(por.Rounds); len(h.Config.Bounds) > 0 && !rounds {
		opts.Iterate, opts.From = true, h.Config.BoundFrom
	}
	spec, err := por.ParseSpec(h.Config.Search)
	if err != nil {
		return result.Errorf(result.Usage, "%w", err)
	}
	opts.Unmerged = h.Config.Unmerged()
	h.tell(por.Progress{})
	var stats por.Stats
	err = h.promptly(func() (err error) {
		stats, err = h.together(spec, opts)
		return err
	})
	h.stats = stats
	h.counts(stats)
	r := h.result
	if err != nil {
		if h.failedAt != nil && h.failedAt != h.Session {
			defer h.failedAt.Close()
			return h.failedAt.VerdictOf(err, r)
		}
		defer func() {
			if _, preempt := h.Config.Bounds.Limit(por.Preempt); preempt && r.Problem == result.NoEnd {
				r.Problem = result.NoEndWithin
			}
			if r.Verdict == result.Budget && opts.Iterate && ascends(spec) {
				claim(r, stats.Levels, h.Config.Bounds, h.Session)
			}
		}()
		return h.VerdictOf(err, r)
	}
	h.whole = h.watched
	h.differing(&h.outcomes, nil)
	h.outcomes.tellIgnored(r)
	if h.raced() {
		if err := h.takeRaces(h.watched.Adjacent.Detector); err != nil {
			return err
		}
	}
	switch {
	case len(h.found) > 0:
		r.Verdict = result.Buggy
	case stats.Complete && h.leaves > 0:
		r.Verdict, r.Problem = result.Budget, result.NoEnd
	case stats.Complete && (spec.Kind().Claim == por.Nothing || spec.Claim() == por.Nothing && stats.Pruned > 0):
		r.Verdict, r.Problem = result.Budget, result.ProvesNothing
		r.Reason = fmt.Sprintf("search %v has ended without a bug, and proves nothing", spec)
	case stats.Complete && len(h.Config.Bounds) == 0:
		r.Verdict = result.Verified
	case stats.Complete && stats.Pruned == 0:
		r.Verdict = result.Verified
		r.Reason = fmt.Sprintf("the bound %v cut nothing off", h.Config.Bounds)
	case stats.Complete:
		r.Verdict = result.Bounded
	default:
		r.Verdict, r.Problem = result.Budget, h.stopped
		r.Reason = h.stopReason() // may know a better Problem
		if opts.Iterate && ascends(spec) {
			claim(r, stats.Levels, h.Config.Bounds, h.Session)
		}
	}
	return nil
}

// timers says in a result that timers could have gone off more often than they did.
func (h *hunt) timers() {
	r := h.result
	if r.Verdict != result.Verified && r.Verdict != result.Bounded || !h.Guest.Seen().Met.Cut {
		return
	}
	r.Verdict = result.Bounded
	ticks := ticksBound(h.Config.MostTicks())
	if r.Bound != "none" {
		ticks = r.Bound + "," + ticks
	}
	r.Bound, r.Certificate.Bound = ticks, ticks
}
