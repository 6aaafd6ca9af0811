package explore

import (
	"context"
	"fmt"
	"slices"

	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/scheduler"
)

// Run explores the configuration's state space. An error is one of usage or
// input, or landgo's own; whatever else happens is in the result.
func Run(ctx context.Context, cfg config.Config, obs Observer) (*result.Result, error) {
	return RunLent(ctx, cfg, obs, nil)
}

// RunLent is Run, with parts of the search lent to other processes. The result is that of
// Run.
func RunLent(ctx context.Context, cfg config.Config, obs Observer, to Lender) (r *result.Result, err error) {
	if cfg.Resume != "" {
		defer func() {
			if p := recover(); p != nil {
				r, err = nil, damaged(cfg.Resume, p)
			} else if err != nil && result.KindOf(err) == result.Fault {
				err = damaged(cfg.Resume, err)
			}
		}()
	}
	clock := limits.StartClock(cfg.ProcessorTime) // of all that is run below
	for {
		r, err = runOnce(ctx, clock, cfg, obs, to)
		if r != nil && r.Verdict == result.Invalid && r.Reason == scheduler.AsksForPoints && cfg.Deepens() {
			return runTicking(ctx, clock, cfg, obs, to)
		}
		name, asks := asksFor(r)
		if err != nil || !asks || len(cfg.Libraries) > maxAsked || slices.Contains(cfg.Libraries, name) {
			return r, err
		}
		cfg.Libraries = append(slices.Clone(cfg.Libraries), name)
	}
}

// runTicking is Run of a guest with timers that send signals: with a point before every
// access, and first with timers that go off once, then twice, and so on.
func runTicking(ctx context.Context, clock limits.Clock, cfg config.Config, obs Observer, to Lender) (r *result.Result, err error) {
	cfg.Deepen = false
	least, most := min(1, cfg.MostTicks()), cfg.MostTicks()
	for n := least; ; n++ {
		cfg.SetTicks(n)
		r, err = runOnce(ctx, clock, cfg, obs, to)
		if err == nil && n < most && r.Verdict == result.Bounded {
			continue
		}
		if err == nil {
			ticked(r, n, least)
		}
		return r, err
	}
}

// ticked says in the result of n ticks how fewer ended, from least on, and what helps where
// there is no end: search stateful isn't for timers.
func ticked(r *result.Result, n, least uint64) {
	if n > least && r.Verdict == result.Budget && r.BoundedAt == nil {
		at := int(n) - 1
		r.BoundedAt, r.BoundedBy = &at, ticksBound(n-1)
	}
	if r.Problem == result.NoEnd {
		r.Problem = result.NoEndTicks
	}
}

// maxAsked bounds how often a run begins again with a library more.
const maxAsked = 64

// asksFor is the library that the guest asked for while it ran: what it does then is
// known once it is loaded with it.
func asksFor(r *result.Result) (path string, ok bool) {
	if r == nil || r.Verdict != result.Invalid || r.Problem != result.Dynamic {
		return "", false
	}
	return r.Reason, true
}

// damaged says of what went wrong in a search that was gone on with from a checkpoint
// that the checkpoint is to blame. A sum that fits only says that the file is as it
// was written. A fault of landgo's own can't be told from that: the message keeps its text.
func damaged(checkpoint string, why any) error {
	return result.Errorf(result.BadCheckpoint, "%s: the search can't go on from it: %v", checkpoint, why)
}

// runOnce is Run, but for what a checkpoint is to blame for.
func runOnce(ctx context.Context, clock limits.Clock, cfg config.Config, obs Observer, to Lender) (*result.Result, error) {
	return runFor(ctx, clock, cfg, obs, to, 0)
}

// runFor is runOnce for this many steps at the most; 0: any number.
func runFor(ctx context.Context, clock limits.Clock, cfg config.Config, obs Observer, to Lender, most uint64) (*result.Result, error) {
	return runLeaving(ctx, clock, cfg, obs, to, most, 0)
}

// runLeaving is runFor, which leaves executions after this many steps; 0: never.
func runLeaving(ctx context.Context, clock limits.Clock, cfg config.Config, obs Observer, to Lender, most uint64, leaves int) (*result.Result, error) {
	if cfg.Checkpoint != "" {
		if err := saved.CheckWritable(cfg.Checkpoint); err != nil {
			return nil, err
		}
	}
	w := clock.Watch(ctx, &cfg, late(obs))
	defer w.Close()
	s, err := session.Open(cfg, w)
	if s == nil {
		return nil, err
	}
	defer s.Close()
	r := s.NewResult()
	h := &hunt{Session: s, obs: obs, lender: to, result: r, seen: map[string]*finding{}, most: most, leaves: leaves}
	h.publish()
	if err != nil {
		if err := s.VerdictOf(err, r); err != nil {
			return nil, err
		}
		s.Finish(r)
		return r, nil
	}
	if most == 0 && samplesBuffers(&cfg) {
		h.sampling = func() (*result.Result, error) { return h.sampleBuffers(ctx, cfg) }
	}
	if cfg.Model == config.ModelTSO && !cfg.FailOnRace && (most == 0 && samplesBuffers(&cfg) || most == besideStates) {
		h.stately, h.nextStates = func(most uint64) (*result.Result, error) { return h.statesWithBuffers(ctx, cfg, most) }, bufferedAfter
	}
	search := h.search
	if cfg.Deepens() {
		search = h.deepen
	}
	if err := search(); err != nil {
		return nil, err
	}
	h.tryStatesAtEnd()
	if h.instead != nil || h.insteadErr != nil {
		return h.instead, h.insteadErr
	}
	// Before anything is run again that isn't of the search.
	s.Cover(r)
	r.Warnings = story.Warnings(s, r)
	h.memory()
	h.atOnce()
	h.timers()
	if h.stopped != "" && r.Executions == 0 && r.Blocked == 0 && r.Transitions > 0 && r.Verdict == result.Budget {
		r.Reason += fmt.Sprintf(", and no execution has ended: %d steps were run", r.Transitions)
	}
	h.long()
	s.Finish(r)
	h.publish() // the rest may take long
	// Before the report: a minimising search may make steps finer than those
	// that are to be checked.
	if err := h.selfCheck(); err != nil {
		if err := s.VerdictOf(err, r); err != nil {
			return nil, err
		}
	}
	if err := h.report(); err != nil {
		return nil, err
	}
	h.cure()
	if again, err := h.withBuffers(ctx, cfg); again != nil || err != nil {
		return again, err
	}
	if again, err := h.withParts(ctx, cfg); again != nil || err != nil {
		return again, err
	}
	if again, err := h.besides(ctx, cfg); again != nil || err != nil {
		return again, err
	}
	r.Warn(s.Config.Strict)
	s.Finish(r)
	return r, nil
}
