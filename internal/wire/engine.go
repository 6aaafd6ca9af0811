package wire

import (
	"context"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// Engine runs guests. The front's is a process (cmd/landgo), the engine's own
// is package explore; tests have theirs.
type Engine interface {
	// Run explores the configuration's state space. An error is one of usage
	// or input, or a fault of the engine's; whatever else happened is in the result.
	Run(context.Context, config.Config, Observer) (*result.Result, error)
	// Replay runs one interleaving again. The file of a bare schedule
	// has nothing else.
	Replay(context.Context, config.Config, *result.BugFile, Observer) (*result.Result, error)
	// Debug is Replay, and has use go to and fro in the run meanwhile. Its error is use's.
	Debug(ctx context.Context, c config.Config, f *result.BugFile, o Observer, use func(debugger.Target) error) (*result.Result, error)
	// Explore has choose say which thread is next, from the guest's beginning or along a
	// file's schedule. Its error is choose's.
	Explore(ctx context.Context, c config.Config, f *result.BugFile, o Observer, choose func(debugger.Chooser) error) (*result.Result, error)
	// Inspect describes the guest.
	Inspect(context.Context, config.Config, Observer) (*result.Inspection, error)
}

// Lending is an engine whose searches can be lent in parts, and which works on others' parts.
type Lending interface {
	// RunLent is Run, and lends parts of the search over a socket.
	RunLent(ctx context.Context, c config.Config, o Observer, parts *Conn) (*result.Result, error)
	// Help works on parts that come over a socket, until it is closed.
	Help(ctx context.Context, c config.Config, parts *Conn) error
}

// Observer hears how far an engine is, never after the call returned.
type Observer interface {
	// Progress is called at the start, then a few times a second.
	Progress(result.Progress)
	// SoFar is called with what was found so far, each time that there is more.
	// The result is the Observer's.
	SoFar(*result.Result)
	// Late is called, from another goroutine, when a limit was reached a while ago:
	// OutOfTime, OutOfMemory or Interrupted.
	Late(result.ErrorKind)
}
