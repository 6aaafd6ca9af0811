package main

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/grade/flags"
	"landgo/internal/queue"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// worker does jobs of other machines' classes.
func (c *call) worker(ctx context.Context, f *flags.Worker) error {
	c.quiet = f.Quiet
	cache := f.Cache
	if cache == "" {
		dir, err := os.MkdirTemp("", "landgo-worker-")
		if err != nil {
			return result.Errorf(result.Unwritable, "%w", err)
		}
		defer os.RemoveAll(dir)
		cache = dir
	}
	store, err := grade.OpenStore(cache)
	if err != nil {
		return err
	}
	defer store.Close()
	e := c.engine()
	path, err := e.Path()
	if err != nil {
		return err
	}
	version, err := grade.VersionOf(path)
	if err != nil {
		return err
	}
	if err := works(ctx, e, filepath.Join(cache, "none"), f); err != nil {
		return err
	}
	q, err := queue.Open(ctx, queue.Options{Queue: f.Queue, Version: version, Say: c.say, Idle: f.Idle})
	if err != nil {
		return err
	}
	defer q.Close()
	helping := c.helping(ctx, q, store, f)
	defer helping()
	w := grade.Workers{Engine: e, Store: store, Desk: q.Desk(store), Level: f.Level, Number: f.Jobs}
	if err := w.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// helping works on parts of searches, as many at a time as jobs, until the returned
// function is called.
func (c *call) helping(ctx context.Context, q *queue.Queue, store *grade.Store, f *flags.Worker) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	h := queue.Helping{Store: store, Level: f.Level, Start: func(ctx context.Context, cfg config.Config) (*wire.Conn, func(), error) {
		conn, far, err := wire.Pair()
		if err != nil {
			return nil, nil, err
		}
		e := c.engine()
		e.Parts = far
		ctx, stop := context.WithCancel(ctx)
		over := make(chan bool)
		go func() {
			defer close(over)
			defer far.Close()
			if err := e.Help(ctx, cfg, nothing{}); err != nil && ctx.Err() == nil {
				c.say("a part of a search can't be worked on: " + result.Line(err))
			}
		}()
		return conn, func() {
			stop()
			<-over
		}, nil
	}}
	var all sync.WaitGroup
	for range f.Jobs {
		all.Add(1)
		go func() {
			defer all.Done()
			if err := q.Help(ctx, h); err != nil {
				c.say(result.Line(err))
			}
		}()
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// works tries the engine with a file that is no program: one that can't be started or
// confined would give each job back, until it counts as lost.
func works(ctx context.Context, e wire.Engine, none string, f *flags.Worker) error {
	if err := os.WriteFile(none, []byte("no program\n"), 0o600); err != nil {
		return result.Errorf(result.Unwritable, "%w", err)
	}
	c := config.Default()
	c.Guest, c.GuestNamed, c.Confine = none, true, f.Level
	_, err := e.Inspect(ctx, c, nothing{})
	if result.KindOf(err) == result.NotELF {
		return nil
	}
	return err
}

// nothing observes nothing.
type nothing struct{}

func (nothing) Progress(result.Progress) {}
func (nothing) SoFar(*result.Result)     {}
func (nothing) Late(result.ErrorKind)    {}
