package explore

import (
	"context"
	"slices"

	"landgo/internal/debugger"
	"landgo/internal/explore/byhand"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// ByHand has choose say which thread is next: from the guest's beginning, or along the
// file's schedule, if it has one.
func ByHand(ctx context.Context, cfg config.Config, file *result.BugFile, obs Observer, choose func(debugger.Chooser) error) (*result.Result, error) {
	for {
		r, err := opened(ctx, cfg, file, obs, func(s *session.Session, sched trace.Schedule, r *result.Result) error {
			c, err := byhand.Open(s, sched, file.Kind, file.Message)
			if err != nil {
				return s.VerdictOf(err, r)
			}
			r.Verdict, r.Reason = result.Budget, "the threads were chosen by hand"
			s.StopsWithin(true)
			defer s.StopsWithin(false)
			return choose(c)
		})
		name, asks := asksFor(r)
		if err != nil || !asks || len(cfg.Libraries) > maxAsked || slices.Contains(cfg.Libraries, name) {
			return r, err
		}
		cfg.Libraries = append(slices.Clone(cfg.Libraries), name)
	}
}
