package main

import (
	"encoding/json"
	"sync"

	"landgo/internal/explore/config"
	"landgo/internal/grade/flags"
	"landgo/internal/process"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// lent is the engine for a run, which lends parts of its search if workers elsewhere are to
// help: another process hands them out. end ends that.
func (a *app) lent(c *config.Config, workers *flags.Run) (e wire.Engine, end func(), err error) {
	own, able := a.engine.(*process.Engine)
	if !workers.Given() || !able {
		return a.engine, func() {}, nil
	}
	if c.Sysroot != "" || len(c.LibraryPath) > 0 {
		return nil, nil, result.Errorf(result.Usage, "--sysroot and --library-path name folders of this machine, which workers haven't got: leave out --nats, or link statically")
	}
	program, err := process.Beside(flags.Program)
	if err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(wire.Exact[config.Config]{Value: *c})
	if err != nil {
		return nil, nil, err
	}
	asked := flags.Lend{Queue: workers.Queue, Serve: workers.Serve, Quiet: c.Quiet, Config: text}
	socket, l, err := process.Lend(program, asked, a.stderr, flags.LendCommand)
	if err != nil {
		return nil, nil, err
	}
	lending := *own
	lending.Parts = socket
	return &lending, sync.OnceFunc(func() {
		socket.Close()
		l.End()
	}), nil
}
