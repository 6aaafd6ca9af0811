package explore

import (
	"context"
	"fmt"
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// A search takes memory for sequentially consistent and looks for triangular races
// (memory.go). Where it finds one, and no bug, the program is searched again with store
// buffers, unless --model sc is given. It gets the time that is left, and at most
// enoughAgain times as many executions. If that search has no end, the verdict stays what
// it was, with its warning.

// leastAgain is how many executions the second search may have in any case, and enoughAgain
// how many for each of the first. That is more than reorderings within buffers make of a
// program that waits for them (docs/memory.md). --max-executions is used instead if it is
// given.
const leastAgain, enoughAgain = 20_000, 5

// A verdict by states has looked at no races. The second search then is one by states, too,
// for at most moreStates times as many steps, or leastStates: a loop that stores in each turn
// has states without end.
const leastStates, moreStates = 1_000_000, 16

// withBuffers is the result of that second search; nil if there is none, or it has no
// verdict.
func (h *hunt) withBuffers(ctx context.Context, cfg config.Config) (*result.Result, error) {
	r := h.result
	delayed := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Code == result.SequentialOnly })
	states := r.Search == config.Stateful && h.Buffered()
	if cfg.Model == config.ModelSC || cfg.Model == config.ModelTSO || r.Verdict != result.Verified || delayed < 0 && !states {
		return nil, nil
	}
	fewer, most, samples := cfg.PP != trace.MemPoints, uint64(0), samplesBuffers(&cfg)
	cfg.Model, cfg.PP, cfg.Races, cfg.Checkpoint, cfg.Resume = config.ModelTSO, trace.MemPoints, nil, "", ""
	if states {
		delayed = len(r.Warnings)
		r.Warnings = append(r.Warnings, result.Warning{Code: result.SequentialOnly, Text: "under sequential consistency only: it was explored state by state"})
		cfg.Search, most = config.Stateful, max(leastStates, moreStates*stepsOf(r))
	} else if cfg.MaxExecutions == 0 {
		cfg.MaxExecutions = max(leastAgain, enoughAgain*r.Executions)
	}
	if cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time {
		return nil, nil
	}
	if cfg.Validate() != nil {
		return nil, nil // it isn't proven there; the warning stays
	}
	again, err := h.runBuffered(ctx, cfg, most, samples)
	if err != nil {
		return nil, err
	}
	switch text := &r.Warnings[delayed].Text; again.Verdict {
	case result.Verified, result.Buggy:
	case result.Invalid:
		*text += "; it can't be run with store buffers: " + again.Reason
		return nil, nil
	default:
		if states {
			*text += "; with store buffers it has more states than were looked at, and none of these had a bug"
			return nil, nil
		}
		rest := "and --model tso runs all"
		if l := again.Longest; l != nil && l.Buffered > 0 {
			rest = "and there is no end of them: a loop fills a buffer, without a fence: " + l.Place.Where()
		}
		*text += fmt.Sprintf("; with store buffers %d executions were run and had no bug, %s", again.Executions, rest)
		return nil, nil
	}
	ofBuffers(again, fewer)
	return again, nil
}

// runBuffered makes the second search. If it isn't small, samples come first.
func (h *hunt) runBuffered(ctx context.Context, cfg config.Config, most uint64, samples bool) (*result.Result, error) {
	if samples {
		soon := cfg
		soon.MaxExecutions = soonAgain
		again, err := runFor(ctx, h.Clock, soon, setAside(h.obs), nil, soonSteps)
		if err != nil || again.Verdict != result.Budget {
			return again, err
		}
		sampled, err := h.sampleBuffers(ctx, cfg)
		if sampled != nil || err != nil {
			return sampled, err
		}
		if cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time {
			return again, nil
		}
	}
	if samples && most == 0 {
		most = besideStates
	}
	return runFor(ctx, h.Clock, cfg, setAside(h.obs), nil, most)
}

// stepsOf is about how many steps a result's search took.
func stepsOf(r *result.Result) uint64 {
	return steps(por.Stats{Transitions: r.Transitions, Replayed: r.Replayed, Executions: r.Executions, Blocked: r.Blocked})
}
