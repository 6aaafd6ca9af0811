// Command landgo-engine runs guests for landgo. It is started by landgo alone, with a
// socket as descriptor 3: package internal/wire says what goes over it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"landgo/emu"
	"landgo/internal/confine"
	"landgo/internal/debugger"
	"landgo/internal/explore"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/firstheap"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// version is set by the build to the state of the repository.
var version = ""

func main() {
	if _, err := syscall.Getpeername(wire.Socket); err != nil {
		fmt.Fprintln(os.Stderr, "landgo-engine: landgo starts this program: run landgo")
		os.Exit(result.ExitUsage)
	}
	firstheap.Large(debug.SetGCPercent)
	firstheap.Late(debug.SetGCPercent)
	// The terminal's signals go to both processes; landgo says what they mean.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	server := wire.Server{Build: version, Engine: engine, Confine: confined, Gone: func() { os.Exit(result.ExitFault) }}
	if err := server.Serve(wire.Open(wire.Socket)); err != nil {
		fmt.Fprintf(os.Stderr, "landgo-engine: %v\n", err)
		os.Exit(result.ExitFault)
	}
}

// engine carries requests out; the tests of confinement have another.
var engine wire.Engine = explorer{}

// confined opens what the engine needs of the host, and gives up the right to.
func confined(r *wire.Request, files []*os.File) wire.Confined {
	host.Build()
	if len(files) == 2 {
		emu.Prepare(files[0])
		limits.Prepare(files[1], r.Memory)
	}
	c := &r.Config.Value
	if c.Confine == confine.Off {
		return wire.Confined{}
	}
	l := confine.Limits{File: maxFile, Files: maxFiles}
	if c.Time > 0 {
		// A last resort: all processors, all the time, and the collector's share.
		l.Processor = (c.Time + time.Minute) * time.Duration(runtime.NumCPU())
	}
	return wire.Confined{Missing: append(r.Missing, confine.Inside(l)...)}
}

const (
	maxFile  = 4 << 30 // of a checkpoint, or of what a bounded search leaves for later
	maxFiles = 512
)

// explorer is package explore as an engine.
type explorer struct{}

func (explorer) Run(ctx context.Context, c config.Config, o wire.Observer) (*result.Result, error) {
	return explore.Run(ctx, c, o)
}

// RunLent implements wire.Lending.
func (explorer) RunLent(ctx context.Context, c config.Config, o wire.Observer, parts *wire.Conn) (*result.Result, error) {
	return explore.RunLent(ctx, c, o, wire.Lend(parts))
}

// Help implements wire.Lending.
func (explorer) Help(ctx context.Context, c config.Config, parts *wire.Conn) error {
	return explore.Help(ctx, c, func(work func([]byte) ([]byte, error)) error { return wire.Work(parts, work) })
}

func (explorer) Replay(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer) (*result.Result, error) {
	return explore.Replay(ctx, c, f, o)
}

func (explorer) Debug(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer, use func(debugger.Target) error) (*result.Result, error) {
	return explore.Debug(ctx, c, f, o, use)
}

func (explorer) Explore(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer, choose func(debugger.Chooser) error) (*result.Result, error) {
	return explore.ByHand(ctx, c, f, o, choose)
}

func (explorer) Inspect(ctx context.Context, c config.Config, o wire.Observer) (*result.Inspection, error) {
	return explore.Inspect(ctx, c, o)
}
