package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/gdbserver"
	"landgo/internal/result"
)

// debugging says how a run is shown, and to which user.
type debugging struct {
	stdio   bool   // gdb has started this process
	listen  string // where gdb will connect to
	program string // the gdb to start
	dap     bool   // for an editor
	at      uint   // the turn at whose beginning the run stands first, 0: its end
}

func (a *app) debugCommand() *cobra.Command {
	c := config.Default()
	var d debugging
	cmd := &cobra.Command{
		Use:   "debug [flags] BUGFILE [GUEST]",
		Short: "debug the interleaving of a bug file, forwards and backwards",
		Long: `debug starts gdb on the interleaving that a bug file holds, at its end, or at the
beginning of a turn. A turn is a stretch of one thread's, as "monitor lanes" and the
pages of landgo page number them. The run is recorded: reverse-continue, reverse-step and their like go back in it, threads
take turns as they did, and nothing can be changed. "info threads" says what each
thread waits for.

Beside gdb's own commands, "monitor help" lists landgo's: where, schedule, lanes,
locks, who-wrote, what-if, cause. In the gdb that debug starts, "at 1200" goes to
a moment and "at #3" to the beginning of a turn.

A "watch" that goes back passes stores of the value that was there: "awatch" stops
at each access.`,
		Example: `  landgo debug test.landgo
  landgo debug --at 8 test.landgo
  landgo debug --listen localhost:1234 test.landgo     (gdb) target remote localhost:1234
  gdb test                                 (gdb) target remote | landgo debug --gdb test.landgo
  landgo debug --dap --listen localhost:4711 test.landgo     for an editor`,
		DisableFlagsInUseLine: true,
	}
	cmd.Flags().BoolVar(&d.stdio, "gdb", false, "talk to gdb over standard input and output, for gdb's \"target remote |\"")
	cmd.Flags().StringVar(&d.listen, "listen", "", "wait for gdb at `ADDRESS`: localhost:PORT or unix:PATH")
	cmd.Flags().StringVar(&d.program, "program", "gdb", "the `PROGRAM` that is started as gdb")
	cmd.Flags().BoolVar(&d.dap, "dap", false, "talk to an editor, by the Debug Adapter Protocol: over standard input and output, or where --listen says")
	cmd.Flags().UintVar(&d.at, "at", 0, "stand at the beginning of this turn first, not at the run's end")
	addOptions(cmd, &c, debugTakes)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, guests := guestArgs(cmd.Flags(), args)
		if d.stdio && (d.listen != "" || d.dap) {
			return result.Errorf(result.Usage, "--gdb talks to gdb on standard input and output: neither --listen nor --dap goes with it")
		}
		c, file, err := ofBugFile(cmd.Flags(), c, own, guests)
		if err != nil {
			return err
		}
		return a.debug(cmd.Context(), c, file, &d)
	}
	return cmd
}

// debug has the interleaving debugged.
func (a *app) debug(ctx context.Context, c config.Config, file *result.BugFile, d *debugging) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := result.CheckSchedule(file.Schedule); err != nil {
		return err
	}
	c.Time = 0                    // a user takes as long as it takes
	signal.Ignore(syscall.SIGINT) // a terminal sends it to gdb as well, which interrupts the run
	attach := func(t debugger.Target) error { return a.attach(ctx, t, &c, d) }
	if d.stdio {
		var end func()
		attach, end = a.piped()
		defer end()
	}
	used := false
	r, err := a.engine.Debug(ctx, c, file, silent{}, func(t debugger.Target) error {
		used = true
		if err := d.stand(t); err != nil {
			return err
		}
		return attach(t)
	})
	a.mayTell()
	switch {
	case err != nil:
		return err
	case !used:
		r.Finish()
		return result.Errorf(cmp.Or(r.Problem, result.Diverged), "the run can't be debugged: %s", r.Reason)
	}
	return nil
}

// stand has the run stand where it is to be seen first.
func (d *debugging) stand(t debugger.Target) error {
	if d.at == 0 {
		return nil
	}
	_, err := t.Tell(debugger.Question{Words: []string{"at", fmt.Sprintf("#%d", d.at)}})
	if err != nil {
		return result.Errorf(result.Usage, "--at %d: %w", d.at, err)
	}
	_, err = t.Go(debugger.Order{})
	return err
}

// attach brings gdb and a run together, until gdb leaves.
func (a *app) attach(ctx context.Context, t debugger.Target, c *config.Config, d *debugging) error {
	if d.dap {
		return a.edit(ctx, t, c, d)
	}
	l, err := d.listener()
	if err != nil {
		return err
	}
	defer l.Close()
	if d.listen != "" {
		fmt.Fprintf(a.stderr, "landgo: gdb can connect: target remote %s\n", strings.TrimPrefix(d.place(l), "unix:"))
		return serveOne(ctx, l, t)
	}
	return a.startGDB(ctx, l, t, c, d)
}

// piped answers the gdb that has started this process, from now on. It doesn't wait for
// the run to be ready. end is called when the run won't be any more.
func (a *app) piped() (attach func(debugger.Target) error, end func()) {
	ready, over := make(chan debugger.Target, 1), make(chan error, 1)
	go func() {
		over <- gdbserver.ServeWhen(struct {
			io.Reader
			io.Writer
		}{os.Stdin, a.stdout}, ready, a.stderr) // gdb shows its user what its child writes there
	}()
	attach = func(t debugger.Target) error {
		ready <- t
		return <-over
	}
	return attach, func() { close(ready) }
}

// listener is where gdb connects to: only from this machine.
func (d *debugging) listener() (net.Listener, error) {
	if path, ok := strings.CutPrefix(d.listen, "unix:"); ok {
		return listenAt(net.Listen("unix", path))
	}
	if d.listen != "" {
		host, port, err := net.SplitHostPort(d.listen)
		if err != nil || host != "localhost" && host != "127.0.0.1" && host != "" {
			return nil, result.Errorf(result.Usage, "--listen takes localhost:PORT or unix:PATH: gdb's protocol has no password, got %q", d.listen)
		}
		return listenAt(net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)))
	}
	return ownListener()
}

// ownListener is a socket for a gdb that landgo starts.
func ownListener() (net.Listener, error) {
	dir, err := os.MkdirTemp("", "landgo-debug-")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("unix", filepath.Join(dir, "gdb"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return roomed{l, dir}, nil
}

func listenAt(l net.Listener, err error) (net.Listener, error) {
	if err != nil {
		return nil, result.Errorf(result.Usage, "--listen: %w", err)
	}
	return l, nil
}

// roomed is a socket in a folder of its own, which goes with it.
type roomed struct {
	net.Listener
	dir string
}

func (r roomed) Close() error {
	err := r.Listener.Close()
	os.RemoveAll(r.dir)
	return err
}

// place is where a gdb connects to.
func (d *debugging) place(l net.Listener) string { return l.Addr().String() }

// serveOne serves the first that connects, until it leaves.
func serveOne(ctx context.Context, l net.Listener, t debugger.Target) error {
	defer context.AfterFunc(ctx, func() { l.Close() })()
	conn, err := l.Accept()
	if err != nil {
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	return gdbserver.Serve(conn, t)
}

// commands are landgo's own in the gdb that it starts, and what suits a recording.
const commands = `set confirm off
set remotetimeout 60
set may-write-memory off
set may-write-registers off
define at
  monitor at $arg0
  continue
end

document at
Go to a moment of the recorded run, or to the beginning of a turn: at 1200, at #3.
"monitor where" has the moment, "monitor lanes" the turns.
end
`

// startGDB starts gdb, and serves it until it ends.
func (a *app) startGDB(ctx context.Context, l net.Listener, t debugger.Target, c *config.Config, d *debugging) error {
	about, err := t.Describe()
	if err != nil {
		return err
	}
	if !c.Quiet {
		fmt.Fprintln(a.stderr, banner(about, d.at))
	}
	script := l.Addr().String() + ".commands"
	if err := os.WriteFile(script, []byte(commands), 0o600); err != nil {
		return err
	}
	gdb := exec.CommandContext(ctx, d.program, "-q", "-x", script, "-ex", "target remote "+l.Addr().String(), c.Guest)
	gdb.Stdin, gdb.Stdout, gdb.Stderr = os.Stdin, a.stdout, a.stderr
	if err := gdb.Start(); err != nil {
		return result.Errorf(result.Usage, "%s can't be started (%w): install gdb, name one with --program, or connect another by --listen", d.program, err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- gdb.Wait()
		l.Close() // it may never have connected
	}()
	err = serveOne(ctx, l, t)
	if own := <-ended; err == nil {
		var status *exec.ExitError
		if errors.As(own, &status) {
			a.status = result.ExitUsage
		}
	}
	return err
}

// banner says what gdb's user has before him.
func banner(about *debugger.Description, at uint) string {
	text := "landgo: a recorded run"
	switch {
	case at > 0:
		text += fmt.Sprintf(", at the beginning of turn %d", at)
	case about.Bug != "":
		text += ", at its end: " + about.Bug
	}
	return text + "\nlandgo: reverse-continue and its like go back; watch passes stores of the same value, awatch none; \"monitor help\" lists more"
}
