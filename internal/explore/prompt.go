package explore

import (
	"errors"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/scheduler"
)

// A search asks between steps whether it is to stop. A step can take long. A kernel's has
// thousands of ticks until a sleep is over, or a screen full of text. A program's at few points
// may lock and unlock a million times. So guests are asked in the middle of steps, too, while a
// search runs; not where a bug is reported, for the user waits for that. A search that is saved
// isn't left in the middle of a step, for what is saved is the state between two.

// stopsWithin has a session's guest end its step with scheduler.ErrStopped when
// the hunt is to stop.
func (h *hunt) stopsWithin(s *session.Session, on bool) {
	s.StopsWithin(on && h.Config.Checkpoint == "")
}

// promptly runs a search. That it was stopped within a step is no error.
func (h *hunt) promptly(search func() error) error {
	h.stopsWithin(h.Session, true)
	defer h.stopsWithin(h.Session, false)
	err := search()
	if !errors.Is(err, scheduler.ErrStopped) {
		return err
	}
	if h.failedAt != nil && h.failedAt != h.Session {
		h.failedAt.Close()
	}
	h.failedAt = nil
	if h.stop(); h.stopped == "" {
		h.stopped = result.Interrupted
	}
	return nil
}
