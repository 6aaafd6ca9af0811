// Command landgo-engine runs guests for landgo. It is started by landgo alone, with a
// socket as descriptor 3: package internal/wire says what goes over it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"landgo/emu"
	"landgo/internal/explore"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// version is set by the build to the state of the repository.
var version = ""

// socket is the descriptor that landgo talks over.
const socket = 3

func main() {
	if _, err := syscall.Getpeername(socket); err != nil {
		fmt.Fprintln(os.Stderr, "landgo-engine: landgo starts this program: run landgo")
		os.Exit(result.ExitUsage)
	}
	// The terminal's signals go to both processes; landgo says what they mean.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	if err := wire.Serve(wire.Open(socket), version, explorer{}, prepare); err != nil {
		fmt.Fprintf(os.Stderr, "landgo-engine: %v\n", err)
		os.Exit(result.ExitFault)
	}
}

// prepare opens what the engine needs of the host by itself.
func prepare(*wire.Request) error {
	limits.Guarded()
	host.Build()
	emu.Prepare()
	return nil
}

// explorer is package explore as an engine.
type explorer struct{}

func (explorer) Run(ctx context.Context, c config.Config, o wire.Observer) (*result.Result, error) {
	return explore.Run(ctx, c, o)
}

func (explorer) Replay(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer) (*result.Result, error) {
	return explore.Replay(ctx, c, f, o)
}

func (explorer) Inspect(ctx context.Context, c config.Config, o wire.Observer) (*result.Inspection, error) {
	return explore.Inspect(ctx, c, o)
}
