package explore

import (
	"context"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// leastLeft is how many steps an execution has at least before it is left.
const leastLeft = 2000

// besides looks for a bug in other executions, where one has no end after timers have gone
// off, or comes to what isn't modelled. A tick in a wrong place can lose a thread, for which
// the rest wait for ever. It can leave half of a context, whose control words landgo doesn't
// model. Elsewhere it can end in an error. So it leaves each execution that is four times as
// long as the longest that has ended, and each that isn't modelled. The result is to have the
// place of this search's; nil: there was nothing to do.
func (h *hunt) besides(ctx context.Context, cfg config.Config) (*result.Result, error) {
	r := h.result
	unmodelled := r.Problem == result.UnmodelledInstruction
	if r.Problem != result.NoEnd && !unmodelled || h.leaves > 0 || h.most > 0 || h.stats.Longest == 0 || !h.Guest.Seen().Met.GoneOff {
		return nil, nil
	}
	cfg.Checkpoint, cfg.Resume, cfg.Leaves = "", "", true
	again, err := runLeaving(ctx, h.Clock, cfg, h.obs, nil, 0, max(leastLeft, 4*int(h.stats.Longest)))
	if err != nil {
		return nil, err
	}
	again.Transitions += r.Transitions
	again.Instructions += r.Instructions
	if again.Verdict == result.Buggy {
		return again, nil
	}
	if again.Verdict != result.Budget || unmodelled {
		return nil, nil
	}
	again.Problem, again.Reason, again.Place = r.Problem, r.Reason, r.Place
	again.Longest, again.Busiest = r.Longest, r.Busiest
	return again, nil
}
