package saved

import (
	"time"

	"landgo/internal/explore/config"
)

// Saver knows when it is time to save. Saving what is large takes a tenth of the
// time at the most.
type Saver struct {
	every, took time.Duration
	last        time.Time
}

// NewSaver: a search of a few seconds is saved too, so that what was done in them
// can be gone on with.
func NewSaver(cfg *config.Config) Saver {
	w := Saver{every: cfg.CheckpointEvery, last: time.Now()}
	if cfg.Time > 0 {
		w.every = min(w.every, cfg.Time/10)
	}
	return w
}

func (w *Saver) Due() bool { return time.Since(w.last) >= max(w.every, 10*w.took) }

func (w *Saver) Run(save func() error) error {
	begin := time.Now()
	err := save()
	w.last = time.Now()
	w.took = w.last.Sub(begin)
	return err
}
