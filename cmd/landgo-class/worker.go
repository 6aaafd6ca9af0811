package main

import (
	"context"
	"os"
	"path/filepath"

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
	w := grade.Workers{Engine: e, Store: store, Desk: q.Desk(store), Level: f.Level, Number: f.Jobs}
	if err := w.Run(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
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
