package explore

import (
	"context"
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// With --model auto a search takes memory for sequentially consistent and looks for
// triangular races (memory.go). Where it finds one, and no bug, the program is searched
// again with store buffers, for what time is left. If that search has no end, the verdict
// stays what it was, with its warning.

// withBuffers is the result of that second search; nil if there is none, or it has no
// verdict.
func (h *hunt) withBuffers(ctx context.Context, cfg config.Config) (*result.Result, error) {
	r := h.result
	delayed := func(w result.Warning) bool { return w.Code == result.SequentialOnly }
	if cfg.Model != config.ModelAuto || r.Verdict != result.Verified || !slices.ContainsFunc(r.Warnings, delayed) {
		return nil, nil
	}
	fewer := cfg.PP != trace.MemPoints
	cfg.Model, cfg.PP, cfg.Races, cfg.Checkpoint, cfg.Resume = config.ModelTSO, trace.MemPoints, nil, "", ""
	if cfg.Time > 0 {
		if cfg.Time -= h.Clock.Elapsed(); cfg.Time <= 0 {
			return nil, nil
		}
	}
	if cfg.Validate() != nil {
		return nil, nil // it isn't proven there; the warning stays
	}
	again, err := runOnce(ctx, cfg, h.obs)
	if err != nil || again.Verdict != result.Verified && again.Verdict != result.Buggy {
		return nil, err
	}
	for _, b := range again.Bugs {
		if b.Model = string(config.ModelTSO); fewer {
			b.PP = again.PP
		}
	}
	return again, nil
}
