package explore

import (
	"errors"

	"landgo/result"
	"landgo/scheduler"
)

// A search asks between steps whether it is to stop. A step can take long: a
// kernel's has thousands of ticks until a sleep is over, or a screen full of text,
// and a program's at few points may lock and unlock a million times. So guests are
// asked in the middle of steps, too, while a search runs; not where a bug is told,
// which somebody waits for. A search that is saved isn't left in the middle of a
// step, for what is saved is the state between two.

// stopsWithin has a session's guest end its step with scheduler.ErrStopped when
// the hunt is to stop.
func (h *hunt) stopsWithin(s *session, on bool) {
	s.stopsWithin(on && h.cfg.Checkpoint == "")
}

// stopsWithin is that of a session. The machines of kernels are stopped at their
// ticks only: who can run there is found by trying it, and an answer can't be left out.
func (s *session) stopsWithin(on bool) {
	s.stops = on
	var stop func() bool
	if on && s.limits != nil {
		stop = func() bool { return s.limits.Reached() != "" }
	}
	s.sys.StopIf(stop)
	if s.platform.ticks {
		return
	}
	s.limits.MayHalt(s.machine, stop != nil)
	for _, t := range s.twins {
		t.stopsWithin(on)
	}
}

// promptly runs a search. That it was stopped within a step is no error.
func (h *hunt) promptly(search func() error) error {
	h.stopsWithin(h.session, true)
	defer h.stopsWithin(h.session, false)
	err := search()
	if !errors.Is(err, scheduler.ErrStopped) {
		return err
	}
	if h.failedAt != nil && h.failedAt != h.session {
		h.failedAt.close()
	}
	h.failedAt = nil
	if h.stop(); h.stopped == "" {
		h.stopped = result.Interrupted
	}
	return nil
}
