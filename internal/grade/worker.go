package grade

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// worker does jobs, one at a time.
type worker struct {
	engine wire.Engine
	store  *Store
	desk   Desk
	level  confine.Level
}

// work does jobs until none is left. An error is one of the machine, for which no job can
// be done.
func (w *worker) work(ctx context.Context) error {
	for {
		j, ok := w.desk.Take(ctx)
		if !ok {
			return nil
		}
		o, err := w.do(ctx, j)
		switch {
		case ctx.Err() != nil:
			w.desk.Lost(j) // the class is interrupted
			return nil
		case err != nil && result.KindOf(err) == result.Fault:
			w.desk.Lost(j)
		case err != nil:
			w.desk.Lost(j)
			return err
		default:
			if err := w.desk.Done(j, o); err != nil {
				return err
			}
		}
	}
}

// do does a job. An error of kind Fault is an engine's death.
func (w *worker) do(ctx context.Context, j *Job) (*Outcome, error) {
	c := j.Test.Config
	c.Guest, c.GuestNamed = w.store.path("guests", j.Guest), true
	c.Confine, c.Out, c.Jobs = w.level, config.NoFile, 1
	o := &observer{}
	r, err := w.engine.Run(ctx, c, o)
	if err != nil {
		switch kind := result.KindOf(err); kind {
		case result.Fault, result.Unconfined, result.BadEngine, result.Interrupted:
			return nil, err
		case result.OutOfTime, result.OutOfMemory:
			r = o.result(&c, kind)
		default: // the program can't be read
			r = &result.Result{Verdict: result.Invalid, Problem: kind, Reason: err.Error()}
		}
	}
	r.Finish()
	if err := w.keepBug(r, j, &c); err != nil {
		return nil, err
	}
	clean, err := w.withoutPaths(r, j)
	return &Outcome{Result: clean}, err
}

// keepBug writes the file by which the teacher can replay a bug.
func (w *worker) keepBug(r *result.Result, j *Job, c *config.Config) error {
	for _, b := range r.Bugs {
		b.File, b.Replay = "", ""
	}
	b := r.Bug
	if b == nil || b.Schedule == "" {
		return nil
	}
	own := c.For(&r.Guest, b)
	path := w.store.path("bugs", j.Key+".landgo")
	os.Remove(path) // of a run that was killed before it kept its result
	if err := result.NewBugFile(r, b, own.Saved()).Write(path); err != nil {
		return err
	}
	b.File = filepath.Join("bugs", j.Key+".landgo")
	b.Replay = own.ReplayCommand(b.File, b.Schedule)
	return nil
}

// withoutPaths is a result without the paths of this machine's folders, and without
// what differs from run to run.
func (w *worker) withoutPaths(r *result.Result, j *Job) (*result.Result, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	inJSON := func(s string) string {
		quoted, _ := json.Marshal(s)
		return strings.Trim(string(quoted), `"`)
	}
	clean := strings.ReplaceAll(string(text), inJSON(w.store.path("guests", j.Guest)), inJSON(j.Test.Guest))
	clean = strings.ReplaceAll(clean, inJSON(w.store.dir+"/"), "")
	var out result.Result
	if err := json.Unmarshal([]byte(clean), &out); err != nil {
		return nil, err
	}
	out.Bug = nil // of Bugs
	out.Seconds, out.SearchSeconds = 0, 0
	out.Finish()
	return &out, nil
}

// observer keeps what an engine has found so far.
type observer struct {
	mu    sync.Mutex
	soFar *result.Result
}

// Progress implements wire.Observer.
func (o *observer) Progress(result.Progress) {}

// SoFar implements wire.Observer.
func (o *observer) SoFar(r *result.Result) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.soFar = r
}

// Late implements wire.Observer.
func (o *observer) Late(result.ErrorKind) {}

// result is that of an engine that had to be killed after a limit.
func (o *observer) result(c *config.Config, why result.ErrorKind) *result.Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	r := o.soFar
	if r == nil {
		r = &result.Result{PP: c.PointList(), Granularity: c.Granularity(), Search: c.Search, Bound: c.Bounds.String()}
	}
	if r.Verdict != result.Buggy {
		r.Verdict, r.Problem, r.Reason = result.Budget, why, c.LimitText(why)
	}
	return r
}
