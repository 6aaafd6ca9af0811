package explore

import (
	"context"

	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
)

// Inspect says what landgo sees in the guest, without running it. When it takes too
// long, the observer is told, if it is a Keeper.
func Inspect(ctx context.Context, cfg config.Config, obs Observer) (*result.Inspection, error) {
	w := limits.Begin(ctx, &cfg, late(obs))
	defer w.Close()
	s, err := session.Read(cfg, w)
	if err != nil {
		return nil, err
	}
	return s.Inspect(), nil
}
