// Command landgo-class grades. landgo becomes this program for its commands grade and
// worker, with their arguments: package internal/grade/flags has these. And landgo run
// starts it to hand out parts of a search. It is a program
// of its own because a server and a client of NATS are in it, which take longer to start
// than a small guest to run.
//
// # The files
//
//	main    the commands, and how the program ends
//	grade   landgo grade; worker: landgo worker; lend: parts of a search to hand out
//	lines   what several engines print, each line once
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"landgo/internal/confine"
	"landgo/internal/explore/config"
	"landgo/internal/grade/flags"
	"landgo/internal/report"
	"landgo/internal/result"
)

// doubled is how close two signals come that are one: "timeout" sends one to the
// process and one to its group.
const doubled = 100 * time.Millisecond

// version is set by the build to the state of the repository.
var version = ""

func main() {
	if len(os.Args) == 2 && (os.Args[1] == confine.BuildWarden || os.Args[1] == confine.BuildInside) {
		os.Exit(confine.BuildPart(os.Args[1])) // started by a build
	}
	os.Exit(doMain(os.Args[1:], os.Stdout, os.Stderr))
}

// call is one call of the program.
type call struct {
	stdout, stderr io.Writer
	// format is that of what goes to standard output.
	format string
	// quiet: only errors are reported.
	quiet bool
	// status is the exit status of a command that gave no error.
	status int
}

// doMain is the whole program but for its end: it returns the exit status.
func doMain(args []string, stdout, stderr io.Writer) (status int) {
	c := &call{stdout: stdout, stderr: stderr, format: config.TextFormat}
	defer func() {
		if r := recover(); r != nil {
			status = c.fail(result.Errorf(result.Fault, "internal error: %v", r))
			fmt.Fprintf(stderr, "%s", debug.Stack())
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() { // a second signal ends it at once
		time.Sleep(doubled)
		stop()
	})
	signal.Ignore(syscall.SIGPIPE)
	if err := c.command(ctx, args); err != nil {
		return c.fail(err)
	}
	return c.status
}

func (c *call) command(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return result.Errorf(result.Usage, "landgo starts this program: run landgo grade or landgo worker")
	}
	if args[0] == flags.LendCommand {
		return c.lend()
	}
	set := pflag.NewFlagSet(args[0], pflag.ContinueOnError)
	parse := func(check func([]string) error) error {
		if err := set.Parse(args[1:]); err != nil {
			return result.Errorf(result.Usage, "%w", err)
		}
		return check(set.Args())
	}
	switch args[0] {
	case flags.GradeCommand:
		var f flags.Grade
		f.Add(set)
		if err := parse(f.Check); err != nil {
			return err
		}
		c.format = f.Format
		return c.grade(ctx, &f)
	case flags.WorkerCommand:
		var f flags.Worker
		f.Add(set)
		if err := parse(f.Check); err != nil {
			return err
		}
		return c.worker(ctx, &f)
	}
	return result.Errorf(result.Usage, "no command is called %q here: run landgo", args[0])
}

// fail shows an error, and returns the exit status.
func (c *call) fail(err error) int {
	fmt.Fprintf(c.stderr, "landgo: %s\n", result.Line(err))
	if c.format == config.JSONFormat {
		report.JSON(c.stdout, result.NewFailure(err))
	}
	return result.Explain(result.KindOf(err)).Status
}

// print writes a whole text to standard output. A reader that has seen enough is no
// error: landgo grade ... | head.
func (c *call) print(text []byte) error {
	_, err := c.stdout.Write(text)
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return result.Errorf(result.NoOutput, "can't write the result to standard output: %w", err)
}
