package saved

import (
	"time"

	"landgo/internal/explore/config"
)

// Saver knows when it is time to save. Saving what is large takes a tenth of the
// time at the most. A search that was begun a moment ago is saved more often: one that is
// killed then loses half of what it has done.
type Saver struct {
	every, took time.Duration
	begun, last time.Time
}

// soonest is when a search is saved first.
const soonest = 100 * time.Millisecond

// quick is the longest that saving may take where a search stops: Ctrl-C ends it within a second.
const quick = 300 * time.Millisecond

// NewSaver: a search of a few seconds is saved too, so that what was done in them
// can be gone on with.
func NewSaver(cfg *config.Config) Saver {
	now := time.Now()
	w := Saver{every: cfg.CheckpointEvery, begun: now, last: now}
	if cfg.Time > 0 {
		w.every = min(w.every, cfg.Time/10)
	}
	return w
}

// Due reports whether to save now.
func (w *Saver) Due() bool {
	every := min(w.every, max(soonest, w.last.Sub(w.begun)))
	return time.Since(w.last) >= max(every, 10*w.took)
}

// Quick reports whether there is the time to save where the search stops.
func (w *Saver) Quick() bool { return w.took < quick }

func (w *Saver) Run(save func() error) error {
	begin := time.Now()
	err := save()
	w.last = time.Now()
	w.took = w.last.Sub(begin)
	return err
}
