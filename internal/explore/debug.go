package explore

import (
	"context"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/explore/travel"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Debug is Replay, after which use has the run to go to and fro in. The replay's
// findings are the run's, also if the bug didn't come back.
func Debug(ctx context.Context, cfg config.Config, file *result.BugFile, obs Observer, use func(debugger.Target) error) (*result.Result, error) {
	return again(ctx, cfg, file, obs, use)
}

// travelIn has a run used that was replayed.
func travelIn(s *session.Session, sched trace.Schedule, r *result.Result, use func(debugger.Target) error) error {
	t, err := travel.Open(s, sched, r.Bug)
	if err != nil {
		return s.VerdictOf(err, r)
	}
	return use(t)
}
