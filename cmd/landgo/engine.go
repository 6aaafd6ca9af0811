package main

import (
	"context"

	"landgo/internal/explore"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// engine is the commands' view of package explore; tests have their own.
type engine interface {
	// Run explores the configuration's state space. An error is one of usage
	// or input; whatever else happened is in the result.
	Run(context.Context, config.Config, explore.Observer) (*result.Result, error)
	// Replay runs one interleaving again. Of a bare schedule, the file has
	// nothing else.
	Replay(context.Context, config.Config, *result.BugFile, explore.Observer) (*result.Result, error)
	// Inspect describes the guest.
	Inspect(context.Context, config.Config, explore.Observer) (*result.Inspection, error)
}

// explorer is package explore as an engine.
type explorer struct{}

func (explorer) Run(ctx context.Context, c config.Config, o explore.Observer) (*result.Result, error) {
	return explore.Run(ctx, c, o)
}

func (explorer) Replay(ctx context.Context, c config.Config, f *result.BugFile, o explore.Observer) (*result.Result, error) {
	return explore.Replay(ctx, c, f, o)
}

func (explorer) Inspect(ctx context.Context, c config.Config, o explore.Observer) (*result.Inspection, error) {
	return explore.Inspect(ctx, c, o)
}
