package explore

import (
	"context"
	"math"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// States with store buffers. A loop that stores in each turn, and waits for that store at a
// fence, comes back to states that it has been in, and its executions are without number. So a
// search with store buffers that the user hasn't chosen, and that goes on and on, is followed
// by one by states (por/stateful.go): after countAfter steps, or an execution of statesLong,
// and then each time it has made countAgain times as many. That one may have countMore times
// the steps that were made. It has no end where a loop stores and nothing has it wait for that: each turn makes the buffer longer.
const (
	countAfter            = 100_000
	countAgain, countMore = 4, 8
	countLong             = 4_000      // where buffers are long, each costs milliseconds
	countMost             = 12_000_000 // stored states take memory
)

// besideStates is so many steps (runFor) that they have no end, of a second search that may
// have searches by states.
const besideStates = math.MaxUint64

// count makes that search when it is due.
func (h *hunt) count(made uint64) {
	long := h.nextCount == countAfter && h.stats.Longest >= statesLong
	if h.counting == nil || h.instead != nil || h.insteadErr != nil || made < h.pace(h.nextCount) && !long {
		return
	}
	if long { // the first states only: buffers may be long, and a bug that needs that is in a sample
		h.nextCount = countAfter + 1
		if h.instead, h.insteadErr = h.counting(countLong); h.instead == nil && h.insteadErr == nil {
			h.sample(max(made, h.pace(sampleAfter)))
		}
		return
	}
	h.nextCount = countAgain * made
	h.instead, h.insteadErr = h.counting(min(countMost, countMore*made))
	if countMore*made >= countMost {
		h.counting = nil
	}
}

// countAtEnd makes it where the search has given up, for an execution has no end.
func (h *hunt) countAtEnd() {
	if h.counting != nil && h.instead == nil && h.insteadErr == nil && h.result.Problem == result.NoEnd {
		h.instead, h.insteadErr = h.counting(countMost)
	}
}

// countBuffers is a search by states with store buffers. The result is nil if it has no verdict.
func (h *hunt) countBuffers(ctx context.Context, cfg config.Config, most uint64) (*result.Result, error) {
	fewer := cfg.PP != trace.MemPoints
	cfg.Model, cfg.PP, cfg.Races, cfg.Checkpoint, cfg.Resume, cfg.Deepen = config.ModelTSO, trace.MemPoints, nil, "", "", false
	cfg.Search, cfg.MaxExecutions = config.Stateful, 0
	if cfg.Validate() != nil || cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time {
		return nil, nil
	}
	r, err := runFor(ctx, h.Clock, cfg, h.obs, nil, most)
	if err != nil || r.Verdict != result.Verified && r.Verdict != result.Buggy {
		return nil, err
	}
	if r.Verdict == result.Verified {
		r.Reason = "explored state by state: it has far more interleavings than states"
	}
	ofBuffers(r, fewer)
	return r, nil
}
