package explore

import (
	"context"
	"fmt"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Samples with store buffers. A search under sequential consistency may have no end in the time
// there is, so that the search with buffers never begins. That one may have no end either. A loop
// that stores in each turn makes its thread's buffer longer and longer, and a search that goes
// deep first never comes back from there. In both cases a bug that buffers make is mostly in one
// of a few hundred samples (Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV
// 2018). So samples are taken once: while a search goes on that has had sampleAfter steps. Where it
// seems to need no more than it has had, they wait for twice as many. They come
// before a second search (again.go) has more than its first soonAgain executions, or
// soonSteps steps. They prove nothing, and change nothing in what the search says.

const (
	sampleAfter = 200_000
	// sampledRuns and sampledSteps are how much they may have.
	sampledRuns, sampledSteps = 500, 100_000
	soonAgain, soonSteps      = 1_000, 20_000
)

// samplesBuffers reports whether samples with store buffers may be taken for a search of this
// configuration. A search that the user has chosen runs alone.
func samplesBuffers(cfg *config.Config) bool {
	return cfg.Search == config.Default().Search && len(cfg.Bounds) == 0 && cfg.Model != config.ModelSC && cfg.Deepen && cfg.MaxExecutions == 0 && !cfg.KeepGoing && !cfg.Naive() && !cfg.Seeded() && len(cfg.AllRules()) == 0
}

// sampleBuffers takes them. The result is nil if they have no bug.
func (h *hunt) sampleBuffers(ctx context.Context, cfg config.Config) (*result.Result, error) {
	fewer := cfg.PP != trace.MemPoints
	cfg.Model, cfg.PP, cfg.Races, cfg.Checkpoint, cfg.Resume, cfg.Deepen = config.ModelTSO, trace.MemPoints, nil, "", "", false
	cfg.Search, cfg.MaxExecutions = fmt.Sprintf("pos:runs=%d", sampledRuns), sampledRuns
	if cfg.Validate() != nil || cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time {
		return nil, nil
	}
	r, err := runFor(ctx, h.Clock, cfg, setAside(h.obs), nil, sampledSteps)
	if err != nil || r.Verdict != result.Buggy {
		return nil, err
	}
	ofBuffers(r, fewer)
	return r, nil
}

// ofBuffers notes with a result's bugs what they were found with.
func ofBuffers(r *result.Result, fewer bool) {
	for _, b := range r.Bugs {
		if b.Model = string(config.ModelTSO); fewer {
			b.PP = r.PP
		}
	}
}

// sample takes the samples, if a search has had enough steps and they may tell more than it does.
func (h *hunt) sample(made uint64) {
	due := h.pace(sampleAfter)
	if take := h.sampling; take != nil && made >= due && !soonOver(made, due, rest(made, h.share)) {
		h.sampling = nil
		h.instead, h.insteadErr = take()
	}
}
