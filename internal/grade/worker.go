package grade

import (
	"context"
	"sync"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// Workers do jobs of a desk.
type Workers struct {
	Engine wire.Engine
	Store  *Store
	Desk   Desk
	Level  confine.Level
	// Number is how many there are.
	Number int
}

// Run has the jobs done until none is left, or the context is over. An error is one of
// the machine.
func (w *Workers) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wait sync.WaitGroup
	for range w.Number {
		wait.Add(1)
		go func() {
			defer wait.Done()
			one := &worker{engine: w.Engine, store: w.Store, desk: w.Desk, level: w.Level}
			if err := one.work(ctx); err != nil {
				cancel(err)
			}
		}()
	}
	wait.Wait()
	return context.Cause(ctx)
}

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
	c := w.store.config(j)
	c.Confine = w.level
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
	return &Outcome{Result: r}, nil
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
