package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	_ "landgo/internal/firstheap"
	"landgo/internal/process"
	"landgo/internal/result"
	"landgo/internal/wire"
)

func main() {
	engine := &process.Engine{Stderr: os.Stderr, Build: version}
	if wantsEngine(os.Args[1:]) {
		engine.Ahead()
	}
	os.Exit(doMain(os.Args[1:], os.Stdout, os.Stderr, engine))
}

// wantsEngine reports whether a call's words look as if an engine will be asked, confined as
// by default. It is started then while the words are read.
func wantsEngine(args []string) bool {
	if len(args) < 2 || !slices.Contains([]string{"run", "replay", "explore", "debug", "inspect"}, args[0]) {
		return false
	}
	for _, a := range args[1:] {
		switch {
		case a == "--":
			return true
		case a == "-h", strings.HasPrefix(a, "--help"), strings.HasPrefix(a, "--confine"):
			return false
		}
	}
	return true
}

// doMain is the whole program but for its end: it returns the exit status.
// A command that doesn't end when it should is left where it is.
func doMain(args []string, stdout, stderr io.Writer, e wire.Engine) (status int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := &sink{Writer: stdout}
	app := &app{engine: e, stdout: out, stderr: stderr, status: result.ExitOK}
	app.watch = newWatch(app)
	defer app.watch.signals(cancel)()
	ended := make(chan int, 1)
	go func() { ended <- app.command(ctx, out, args) }()
	select {
	case status := <-ended:
		return status
	case why := <-app.watch.late:
		late := make(chan int, 1)
		go func() { late <- app.watch.end(why) }()
		select {
		case status := <-ended: // it was telling its result
			return status
		case status := <-late:
			return status
		}
	}
}

// command carries a command out, and returns the exit status.
func (app *app) command(ctx context.Context, out *sink, args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			status = result.ExitFault
			reportFault(app.stderr, fmt.Sprint(r), debug.Stack())
			app.showError(fmt.Errorf("%v", r))
		}
	}()
	app.asked = askedBy(args)
	err := app.execute(ctx, app.rootCommand(), args)
	if lost := out.failed(); lost != nil {
		err = lost
	}
	if err != nil {
		return app.fail(err)
	}
	return app.status
}

// fail shows an error that came instead of a result. Its document is the last thing that
// is written: a grader that reads both outputs in one looks for it at their end.
func (a *app) fail(err error) int {
	defer a.showError(err)
	kind := result.KindOf(err)
	if kind == result.Fault {
		var stack []byte
		var failed *wire.Failed
		if errors.As(err, &failed) {
			stack = []byte(failed.Stack)
		}
		reportFault(a.stderr, err.Error(), stack)
		return result.ExitFault
	}
	fmt.Fprintf(a.stderr, "landgo: %s\n", result.Line(err))
	return result.Explain(kind).Status
}

// reportFault says that landgo itself failed, and how to report that.
func reportFault(w io.Writer, message string, stack []byte) {
	fmt.Fprintf(w, "landgo: %s\n", result.Line(result.Errorf(result.Fault, "internal error: %s", message)))
	if len(stack) > 0 {
		fmt.Fprintf(w, "%s", stack)
	}
	fmt.Fprintln(w, "landgo: this is a fault of landgo, not of the program that it ran: no verdict was reached")
}
