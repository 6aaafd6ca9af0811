package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/grade/flags"
	"landgo/internal/queue"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// lend hands out the parts of a search for landgo run. Its orders come by standard input,
// at whose end the search is over. Whether it can goes to standard output.
func (c *call) lend() error {
	if _, err := syscall.Getpeername(wire.Socket); err != nil {
		return result.Errorf(result.Usage, "landgo run starts this")
	}
	// The terminal's signals go to all processes; landgo says what they mean.
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var f flags.Lend
	if err := json.NewDecoder(os.Stdin).Decode(&f); err != nil {
		return err
	}
	c.quiet = f.Quiet
	var cfg wire.Exact[config.Config]
	if err := json.Unmarshal(f.Config, &cfg); err != nil {
		return err
	}
	conn := wire.Open(wire.Socket)
	gone := make(chan bool)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(gone)
		conn.Close()
		cancel()
	}()
	l, end, err := c.lent(ctx, &f, cfg.Value)
	if err != nil {
		return json.NewEncoder(c.stdout).Encode(wire.ErrorOf(err))
	}
	defer end()
	if _, err := fmt.Fprintln(c.stdout, "null"); err != nil {
		return nil
	}
	err = l.Run(ctx, conn)
	if told := l.Told(); told != "" {
		c.say(told)
	}
	<-gone
	return err
}

// lent is a search that is ready to be handed out.
func (c *call) lent(ctx context.Context, f *flags.Lend, cfg config.Config) (l *queue.Lent, end func(), err error) {
	path, err := c.engine().Path()
	if err != nil {
		return nil, nil, err
	}
	tag, err := grade.VersionOf(path)
	if err != nil {
		return nil, nil, err
	}
	o := queue.Options{Queue: f.Queue, Version: tag, Say: c.say}
	var server *queue.Server
	var q *queue.Queue
	dir := ""
	over := func() {
		if q != nil {
			q.Close()
		}
		server.Close()
		if dir != "" {
			os.RemoveAll(dir)
		}
	}
	defer func() {
		if err != nil {
			over()
		}
	}()
	if f.Serve != "" {
		if dir, err = os.MkdirTemp("", "landgo-serve-"); err != nil {
			return nil, nil, result.Errorf(result.Unwritable, "%w", err)
		}
		if server, err = queue.Serve(f.Serve, filepath.Join(dir, "nats"), &o.Queue); err != nil {
			return nil, nil, err
		}
		o.Server = server
		c.say(fmt.Sprintf("serving: landgo worker --nats %s --token-file %s", server.URL(), o.Queue.Token))
	}
	if q, err = queue.Open(ctx, o); err != nil {
		return nil, nil, err
	}
	l, err = q.Lend(ctx, cfg)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(err, ctx.Err())
	}
	return l, over, err
}
