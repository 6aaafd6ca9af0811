package explore

import (
	"context"
	"errors"
	"fmt"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/explore/shorter"
	"landgo/internal/explore/story"
	"landgo/internal/image/elffile"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Replay runs exactly one interleaving again and accounts for each step. Of a
// bare schedule, the file has nothing else.
func Replay(ctx context.Context, cfg config.Config, file *result.BugFile, obs Observer) (*result.Result, error) {
	return again(ctx, cfg, file, obs, nil)
}

// again is Replay, which has the run used before it ends, if use isn't nil.
func again(ctx context.Context, cfg config.Config, file *result.BugFile, obs Observer, use func(debugger.Target) error) (*result.Result, error) {
	return opened(ctx, cfg, file, obs, func(s *session.Session, sched trace.Schedule, r *result.Result) error {
		s.StopsWithin(true)
		err := replay(s, sched, file, r)
		s.StopsWithin(false)
		if err == nil && use != nil {
			err = travelIn(s, sched, r, use)
		}
		return err
	})
}

// opened has a file's schedule used on its guest, or, if it has none, the guest alone.
func opened(ctx context.Context, cfg config.Config, file *result.BugFile, obs Observer, use func(*session.Session, trace.Schedule, *result.Result) error) (*result.Result, error) {
	var sched trace.Schedule
	if file.Schedule != "" {
		var err error
		if sched, err = trace.ParseSchedule(file.Schedule); err != nil {
			return nil, result.Errorf(result.BadSchedule, "%w", err)
		}
	}
	if err := isTheGuest(&cfg, file.Guest.SHA256); err != nil {
		return nil, err
	}
	cfg.Deepen = false // the schedule says where threads switch
	w := limits.Begin(ctx, &cfg, late(obs))
	defer w.Close()
	s, err := session.Open(cfg, w)
	if s == nil {
		return nil, err
	}
	defer s.Close()
	r := s.NewResult()
	r.Replay = &result.Replay{Expected: file.Kind, Message: file.Message}
	if err != nil {
		if err := s.VerdictOf(err, r); err != nil {
			return nil, err
		}
		s.Finish(r)
		return r, nil
	}
	if err := sameLibraries(s, file.Guest.Libraries); err != nil {
		return nil, err
	}
	if file.Schedule == "" {
		sched.Check = s.Check
	}
	if sched.Check != s.Check {
		return nil, result.Errorf(result.OtherConfig, "the schedule was made for another guest or with other options or input")
	}
	if obs != nil {
		obs.Progress(Progress{Phase: "replaying"})
	}
	(&hunt{Session: s, obs: obs, result: r}).publish()
	err = use(s, sched, r)
	if why := w.Reached(); why != "" && errors.Is(err, scheduler.ErrStopped) {
		r.Verdict, r.Problem, r.Reason = result.Budget, why, cfg.LimitText(why)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	s.Finish(r)
	return r, nil
}

// isTheGuest says why a file isn't the program that a bug was found in. That is
// asked before anything else is of a file which only the bug file names: it can be
// any of this machine's.
func isTheGuest(cfg *config.Config, want string) error {
	if want == "" {
		return nil
	}
	sum, err := elffile.FileSHA256(cfg.Guest)
	switch {
	case err != nil:
		return session.ImageError(cfg.Guest, err)
	case sum == want:
		return nil
	case cfg.GuestNamed:
		return result.Errorf(result.OtherImage, "%s isn't the program that the bug was found in: its sha256 is %.12s…, the bug file's %.12s…", cfg.Guest, sum, want)
	}
	return result.Errorf(result.OtherImage, "%s, which the bug file names, isn't the program that the bug was found in: if it has moved, give it behind the bug file", cfg.Guest)
}

// sameLibraries says which library isn't the one that a bug file's guest was run with.
func sameLibraries(s *session.Session, want []result.Library) error {
	parts := s.Image.Parts
	if len(parts) == 0 {
		parts = []*elffile.File{s.Image.File}
	}
	for _, w := range want {
		for _, p := range parts {
			if p.Path == w.Path && p.SHA256 != w.SHA256 {
				return result.Errorf(result.OtherImage, "%s isn't the library that the bug was found with: its sha256 is %.12s…, the bug file's %.12s…; --sysroot DIR takes the libraries of another system", p.Path, p.SHA256, w.SHA256)
			}
			if d := p.Separate; d != nil && d.Path == w.Path && d.SHA256 != w.SHA256 {
				return result.Errorf(result.OtherImage, "%s isn't the debug information that the bug was found with: its sha256 is %.12s…, the bug file's %.12s…", d.Path, d.SHA256, w.SHA256)
			}
		}
	}
	return nil
}

// replay runs the schedule's segments and reports their outcome.
func replay(s *session.Session, sched trace.Schedule, file *result.BugFile, r *result.Result) error {
	s.Following = true
	path, failure, err := s.FollowAll(sched)
	if errors.Is(err, scheduler.ErrStopped) {
		return err
	}
	if err != nil {
		return s.VerdictOf(err, r)
	}
	st, err := story.Tell(s, path)
	if errors.Is(err, scheduler.ErrStopped) {
		return err
	}
	if err != nil {
		return s.VerdictOf(err, r)
	}
	r.Executions, r.Transitions, r.Threads = 1, uint64(len(path)), len(s.Guest.Starts())
	r.Account = st.Account()
	r.Verdict = result.Budget
	r.Reason = "this interleaving ended without a bug"
	if r.Replay.Unfinished = s.Unfinished; s.Unfinished {
		r.Reason = "the schedule ends before the execution does, without a bug up to there"
	}
	if f := passedOf(s, file); f != nil && (failure == nil || file.Kind != "" && (failure.Kind != file.Kind || failure.Message != file.Message)) {
		failure = f
	}
	if x := st.RaceIn(file.Message); x != nil && (file.Kind == trace.Race || file.Kind == "" && failure == nil) {
		failure = &x.Failure
	}
	if out := printed(s, shorter.LastOf(path)); failure == nil && file.Kind == trace.Output && prints(file.Message, out) {
		failure = &scheduler.Failure{Kind: trace.Output, Message: file.Message, Thread: shorter.LastOf(path)}
	}
	if failure == nil {
		if out := printed(s, shorter.LastOf(path)); len(out) > 0 {
			r.Outcomes = []result.Outcome{{Output: string(out[:min(len(out), maxOutcome)]), Executions: 1}}
		}
		return nil
	}
	f := &finding{failure: *failure, path: path, minimal: result.BestFound}
	if file.Kind == failure.Kind && file.Message == failure.Message && file.Minimal != "" {
		f.minimal = file.Minimal // the run that wrote the file has tried
	}
	for i := range path {
		if path[i].Preemption {
			f.preemptions++
		}
	}
	b, err := st.Bug(&f.failure, f.preemptions, f.minimal)
	if err != nil {
		return err
	}
	if r.Replay.Same = file.Kind == "" || file.Kind == b.Kind && file.Message == b.Message; r.Replay.Same {
		contrastAgain(s, file, &f.failure, st, b)
		b.Cure = file.Cure
	}
	b.Replay = s.Config.ReplayCommand("", b.Schedule)
	r.Bug, r.Bugs = b, []*result.Bug{b}
	if r.Replay.Same {
		r.Verdict, r.Reason = result.Buggy, ""
	} else {
		r.Reason = fmt.Sprintf("another bug came: %s, %s", b.Kind, b.Message)
	}
	return nil
}
