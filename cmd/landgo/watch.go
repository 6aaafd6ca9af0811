package main

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/sources"
)

// A watch ends a command that doesn't end by itself: when a limit was reached
// and the engine is still at work, and when the user asks a second time. The
// run's results so far are kept ready, and reported instead of its result.
type watch struct {
	app *app
	// late is ready when the command is to end at once.
	late chan result.ErrorKind

	mu     sync.Mutex
	told   bool           // the result is being reported, by the first goroutine
	config *config.Config // of the run; nil: there is none yet
	out    string         // its bug file
	soFar  *result.Result
	early  *early          // of the run
	shows  bool            // bugs are shown early
	seen   result.Progress // the latest
}

func newWatch(a *app) *watch { return &watch{app: a, late: make(chan result.ErrorKind, 1)} }

// run sets the guest that runs from now on, and the place for bugs.
func (w *watch) run(c *config.Config, out string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.config, w.out = c, out
}

// show sets where the run shows its bugs early, if it does.
func (w *watch) show(e *early, shows bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.early, w.shows = e, shows
}

// claim reports whether the caller is to tell the result: only one may.
func (w *watch) claim() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.told
	w.told = true
	return first
}

// Late implements wire.Observer.
func (w *watch) Late(why result.ErrorKind) {
	select {
	case w.late <- why:
	default:
	}
}

// keeper is the observer of a run: progress is shown, and the rest is kept.
type keeper struct {
	early *early
	*watch
}

// Progress implements wire.Observer.
func (k keeper) Progress(p result.Progress) {
	k.mu.Lock()
	if p.Phase == "searching" {
		k.seen = p
	}
	k.mu.Unlock()
	k.early.progress(p)
}

// SoFar implements wire.Observer.
func (k keeper) SoFar(r *result.Result) {
	k.mu.Lock()
	k.soFar = r
	shows := k.shows
	k.mu.Unlock()
	if !shows || len(r.Bugs) == 0 {
		return
	}
	copied := *r
	copied.Bugs = nil
	for _, b := range r.Bugs { // the watch fills in its own
		own := *b
		if b.Schedule != "" {
			own.Replay = k.config.For(&r.Guest, b).ReplayCommand("", b.Schedule)
		}
		copied.Bugs = append(copied.Bugs, &own)
	}
	k.early.take(&copied)
}

// found is the result so far if there is a bug in it, else nil.
func (w *watch) found() *result.Result {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.soFar == nil || len(w.soFar.Bugs) == 0 {
		return nil
	}
	return w.soFar
}

// end reports the results so far and returns the exit status.
func (w *watch) end(why result.ErrorKind) int {
	if !w.claim() {
		select {} // the result is on its way, and with it the process's end
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	a, c := w.app, w.config
	w.early.end()
	if c == nil {
		return a.fail(result.Errorf(why, "ended before there was a result"))
	}
	r := w.soFar
	if r == nil {
		r = &result.Result{Guest: result.Guest{Path: c.Guest}, PP: c.PointList(), Granularity: c.Granularity(), Search: c.Search, Bound: c.Bounds.String(), Verdict: result.Budget}
	}
	if r.Executions+r.Blocked+r.Pruned < w.seen.Executions+w.seen.Blocked+w.seen.Pruned {
		r.Executions, r.Blocked, r.Pruned, r.Transitions = w.seen.Executions, w.seen.Blocked, w.seen.Pruned, w.seen.Transitions
		r.Estimate.Explored = result.Amount(w.seen.Explored)
	}
	r.Seconds = max(r.Seconds, w.seen.Elapsed.Seconds())
	if r.Verdict != result.Buggy && r.Problem == "" {
		r.Verdict, r.Problem, r.Reason = result.Budget, why, c.LimitText(why)
		r.BoundedAt, r.BoundedBy = w.seen.BoundedAt, w.seen.BoundedBy
	}
	r.Finish()
	if r.Replay == nil {
		saveBugs(r, c, w.out)
	}
	from, err := sources.Of(c, c.GuestNamed || !filepath.IsAbs(c.Guest))
	if err != nil {
		return result.ExitFault
	}
	if err := a.show(r, c, from); err != nil {
		return result.ExitFault
	}
	return r.ExitStatus()
}

// doubled is how close two signals come that are one: "timeout" sends one to the
// process and one to its group.
const doubled = 100 * time.Millisecond

// signals has the context end with the first signal that asks for an end, and the
// process with the second.
func (w *watch) signals(cancel context.CancelFunc) (stop func()) {
	all := make(chan os.Signal, 8)
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // print sees that the reader is gone
	go func() {
		var first time.Time
		for range all {
			if first.IsZero() {
				first = time.Now()
				cancel()
			} else if time.Since(first) > doubled {
				w.Late(result.Interrupted)
			}
		}
	}()
	return func() {
		signal.Stop(all)
		close(all)
	}
}
