package explore

import (
	"context"
	"fmt"
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// A search takes the copies that system calls make for one step each, and looks for accesses that
// may fall into one (atonce.go). Where it has a point before every access, and finds such an access
// and no bug, the program is searched again with divided copies (scheduler/copies.go), unless
// --copies whole is given. That search has the limits of the one with store buffers (again.go). If
// it has no end, the verdict stays what it was, with its warning.

// withParts is the result of that second search; nil if there is none, or it has no verdict.
func (h *hunt) withParts(ctx context.Context, cfg config.Config) (*result.Result, error) {
	r := h.result
	warned := slices.IndexFunc(r.Warnings, func(w result.Warning) bool { return w.Code == result.AtOnce })
	if cfg.Copies != config.CopiesAuto || cfg.PP != trace.MemPoints || r.Verdict != result.Verified && r.Verdict != result.Bounded || warned < 0 {
		return nil, nil
	}
	cfg.Copies, cfg.Checkpoint, cfg.Resume, cfg.Deepen = config.CopiesDivided, "", "", false
	if cfg.MaxExecutions == 0 {
		cfg.MaxExecutions = max(leastAgain, enoughAgain*r.Executions)
	}
	if cfg.Time > 0 && h.Clock.Elapsed() >= cfg.Time || cfg.Validate() != nil {
		return nil, nil
	}
	again, err := runFor(ctx, h.Clock, cfg, setAside(h.obs), nil, 0)
	if err != nil {
		return nil, err
	}
	switch again.Verdict {
	case result.Verified, result.Bounded, result.Buggy:
	case result.Invalid:
		r.Warnings[warned].Text += "; it can't be run word by word: " + again.Reason
		return nil, nil
	default:
		r.Warnings[warned].Text += fmt.Sprintf("; word by word %d executions were run and had no bug, and --copies divided runs all", again.Executions)
		return nil, nil
	}
	for _, b := range again.Bugs {
		b.Copies = string(config.CopiesDivided)
	}
	return again, nil
}
