package explore

import (
	"context"
	"math"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// States with store buffers. A loop may store in each turn, and wait for that store at a fence.
// It comes back to earlier states, and has infinitely many executions. So a search with store
// buffers that the user hasn't chosen, and that goes on and on, is followed by one by states
// (por/stateful.go). It comes after bufferedAfter steps, or an execution of statesLong, and again
// each time the search has made bufferedAgain times as many. It may have bufferedMore times the
// steps that were made. As long as the search's estimates are right, it may only have a part
// (bufferedRest) of those that are left: else it could take longer than the search. Where no more
// are left than were made, the first waits for twice as many. It has no end where a loop stores and
// nothing has it wait for that: each turn makes the buffer longer.
const (
	bufferedAfter               = 200_000
	bufferedAgain, bufferedMore = 4, 8
	bufferedRest                = 8
	bufferedLong                = 4_000      // where buffers are long, each costs milliseconds
	bufferedMost                = 12_000_000 // stored states take memory
)

// besideStates is so many steps (runFor) that they have no end, of a second search that may
// have searches by states.
const besideStates = math.MaxUint64

// tryStates makes that search when it is due.
func (h *hunt) tryStates(made uint64) {
	long := h.nextStates == bufferedAfter && h.stats.Longest >= statesLong
	if h.stately == nil || h.instead != nil || h.insteadErr != nil || made < h.pace(h.nextStates) && !long {
		return
	}
	if long { // the first states only: buffers may be long, and a bug that needs that is in a sample
		h.nextStates = bufferedAfter + 1
		if h.instead, h.insteadErr = h.stately(bufferedLong); h.instead == nil && h.insteadErr == nil {
			h.sample(max(made, h.pace(sampleAfter)))
		}
		return
	}
	if soonOver(made, h.pace(bufferedAfter), rest(made, h.share)) {
		return
	}
	h.nextStates = bufferedAgain * made
	h.foresight.foresee(made, h.share)
	most := statesSteps(made, rest(made, h.share), h.foresight.wrong)
	if h.instead, h.insteadErr = h.stately(most); most == bufferedMost {
		h.stately = nil
	}
}

// statesSteps is how many steps that search may have, beside one that has made so many, needs rest
// for what is left, and had so many wrong estimates of that.
func statesSteps(made, rest uint64, wrong int) uint64 {
	most := min(bufferedMore*made, bufferedMost)
	switch wrong {
	case 0:
		return min(most, max(rest/bufferedRest, bufferedLong))
	case 1:
		return min(most, made/2)
	}
	return most
}

// tryStatesAtEnd makes it where the search has given up, because an execution has no end.
func (h *hunt) tryStatesAtEnd() {
	if h.stately != nil && h.instead == nil && h.insteadErr == nil && h.result.Problem == result.NoEnd {
		h.instead, h.insteadErr = h.stately(bufferedMost)
	}
}

// statesWithBuffers is a search by states with store buffers. The result is nil if it has no verdict.
func (h *hunt) statesWithBuffers(ctx context.Context, cfg config.Config, most uint64) (*result.Result, error) {
	fewer := cfg.PP != trace.MemPoints
	cfg.Model, cfg.PP, cfg.Races, cfg.Checkpoint, cfg.Resume, cfg.Deepen = config.ModelTSO, trace.MemPoints, nil, "", "", false
	cfg.Search, cfg.MaxExecutions = config.Stateful, 0
	if cfg.Validate() != nil || cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time {
		return nil, nil
	}
	r, err := runFor(ctx, h.Clock, cfg, setAside(h.obs), nil, most)
	if err != nil || r.Verdict != result.Verified && r.Verdict != result.Buggy {
		return nil, err
	}
	if r.Verdict == result.Verified {
		r.Reason = "explored state by state: it has far more interleavings than states"
	}
	ofBuffers(r, fewer)
	return r, nil
}
