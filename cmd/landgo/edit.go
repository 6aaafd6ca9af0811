package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"

	"landgo/internal/dap"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/gdbserver"
	"landgo/internal/result"
)

// edit brings an editor and a run together, by a gdb between them.
func (a *app) edit(ctx context.Context, t debugger.Target, c *config.Config, d *debugging) error {
	about, err := t.Describe()
	if err != nil {
		return err
	}
	editor, err := a.editor(ctx, d)
	if err != nil || editor == nil {
		return err
	}
	defer editor.Close()
	l, err := ownListener()
	if err != nil {
		return err
	}
	defer l.Close()
	script := l.Addr().String() + ".commands"
	if err := os.WriteFile(script, []byte(commands), 0o600); err != nil {
		return err
	}
	gdb := exec.CommandContext(ctx, d.program, "-q", "--interpreter=mi3", "-x", script, c.Guest)
	gdb.Stderr = a.stderr
	in, err := gdb.StdinPipe()
	if err != nil {
		return err
	}
	out, err := gdb.StdoutPipe()
	if err != nil {
		return err
	}
	if err := gdb.Start(); err != nil {
		return result.Errorf(result.Usage, "%s can't be started (%w): install gdb, or name one with --program", d.program, err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = gdbserver.Serve(conn, t)
			conn.Close()
		}
		served <- err
	}()
	err = dap.Serve(editor, out, in, "-target-select remote "+l.Addr().String(), about.Bug, d.at == 0)
	in.Close()
	gdb.Process.Kill()
	gdb.Wait()
	l.Close()
	<-served
	return err
}

// editor is the connection to the editor, nil if none came before the user gave up.
func (a *app) editor(ctx context.Context, d *debugging) (io.ReadWriteCloser, error) {
	if d.listen == "" {
		return struct {
			io.Reader
			io.Writer
			io.Closer
		}{os.Stdin, a.stdout, io.NopCloser(nil)}, nil
	}
	l, err := d.listener()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	fmt.Fprintf(a.stderr, "landgo: an editor can connect: %s\n", l.Addr())
	conn, err := l.Accept()
	if errors.Is(err, net.ErrClosed) && ctx.Err() != nil {
		return nil, nil // the user no longer waits for one
	}
	return conn, err
}
