package session

import (
	"context"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
)

// TestClosedTwice: a session that a search closed, stopped in the middle of a step,
// is closed again with its crew.
func TestClosedTwice(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Guest = bare(t, plain)
	w := limits.Begin(context.Background(), &cfg, nil)
	defer w.Close()
	s, err := Open(cfg, w)
	if err != nil {
		t.Fatal(err)
	}
	s.StopsWithin(true)
	s.Close()
	s.Close()
}
