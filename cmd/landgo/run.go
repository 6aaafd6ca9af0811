package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"landgo/internal/explore/config"
	"landgo/internal/grade/flags"
	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/sources"
	"landgo/internal/wire"
)

func (a *app) runCommand() *cobra.Command {
	c := config.Default()
	cmd := &cobra.Command{
		Use:   "run [flags] GUEST|SOURCE... [-- ARGUMENT...]",
		Short: "explore a guest's interleavings until a bug or their end",
		Long: `run explores the guest's interleavings until it finds a bug, has seen them all,
or the budget runs out. Arguments after -- are the guest's.

Sources of C or C++ are compiled first: with $CC (cc) or $CXX (c++), -g -pthread,
$CFLAGS or $CXXFLAGS, and $LDLIBS behind them. With --make DIR the guest is what
"make -C DIR GUEST" makes. The program of a source is kept in the user's cache, for
replays. Without CXXFLAGS=-O1 the stores of std::atomic have the strictest memory
order.

With --nats, workers on other machines ("landgo worker") help with the search. They
ask for work at a NATS server or cluster with JetStream; with --serve landgo is that
server itself. Verdict, counts and schedule are those of one machine.

The verdict is verified, bounded, bug, budget or invalid ("landgo help exit").`,
		Example: `  landgo run test
  landgo run test.c
  landgo run --make lab3 test
  landgo run --pp lock,unlock --time 10m --json test -- -n 3
  landgo run --search none --bound preempt=2 test
  landgo run --nats nats://10.0.0.5 --creds lab.creds test
  landgo run --format junit test >landgo.xml`,
		DisableFlagsInUseLine: true,
	}
	addOptions(cmd, &c, runTakes)
	var workers flags.Run
	workers.Add(cmd.Flags())
	folder := cmd.Flags().String("make", "", "have make build the guest in this folder first")
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		own, guests := guestArgs(cmd.Flags(), args)
		if c.Guest, err = a.built(cmd.Context(), *folder, own); err != nil {
			return err
		}
		if c.Guest != own[0] && *folder == "" {
			a.source = own[0]
		}
		c.Args = guests
		if err := workers.Check(); err != nil {
			return err
		}
		return a.run(cmd.Context(), c, &workers)
	}
	return cmd
}

// run explores and shows the result.
func (a *app) run(ctx context.Context, c config.Config, workers *flags.Run) error {
	a.asked = c
	if err := c.Validate(); err != nil {
		return err
	}
	out := c.BugPath()
	if out != "" {
		if err := result.CheckWritable(out); err != nil {
			return err
		}
	}
	from, err := sources.Of(&c, true)
	if err != nil {
		return err
	}
	if why := c.Whole(); why != "" && (c.Jobs > 1 || workers.Given()) && !c.Quiet {
		fmt.Fprintf(a.stderr, "landgo: %s\n", why)
	}
	engine, end, err := a.lent(&c, workers)
	if err != nil {
		return err
	}
	defer end()
	a.watch.run(&c, out)
	early := a.newEarly(style(a.stderr, from, false), a.progress(&c))
	a.watch.show(early, !c.Quiet)
	r, err := engine.Run(ctx, c, keeper{early, a.watch})
	end()
	a.mayTell()
	early.end()
	if err != nil {
		a.showFound(err, &c, out, from)
		return err
	}
	r.Guest.Source = a.source
	a.notes(r)
	r.Finish()
	fileErr := saveBugs(r, &c, out)
	if c.CoverageOut != "" && r.Coverage != nil {
		if err := writeCoverage(c.CoverageOut, r.Coverage); err != nil {
			return err
		}
	}
	if c.HTML != "" && r.Bug != nil && r.Bug.Schedule != "" {
		if err := a.page(ctx, r, &c, from); err != nil {
			fmt.Fprintf(a.stderr, "landgo: %s\n", result.Line(err))
		} else {
			r.Bug.Page = c.HTML
		}
	}
	if !c.Coverage {
		r.Coverage = nil
	}
	if err := a.show(r, &c, from); err != nil {
		return err
	}
	if fileErr != nil {
		fmt.Fprintf(a.stderr, "landgo: %s\n", result.Line(fileErr))
	}
	a.status = r.ExitStatus()
	return nil
}

// showFound shows the bugs that were found before the engine failed.
func (a *app) showFound(err error, c *config.Config, out string, from sources.Folders) {
	var failed *wire.Failed
	r := a.watch.found()
	if !errors.As(err, &failed) || r == nil {
		return
	}
	r.Reason = "found before landgo itself failed"
	r.Finish()
	saveBugs(r, c, out) // the failure matters more
	a.show(r, c, from)
}

// mayTell waits for ever if the watch tells the result.
func (a *app) mayTell() {
	if !a.watch.claim() {
		select {}
	}
}

func (a *app) notes(r *result.Result) {
	for _, n := range r.Notes {
		fmt.Fprintf(a.stderr, "landgo: %s\n", result.Printable(n))
	}
}

// saveBugs writes a file for each bug and says in the bugs how to replay them.
// A file that can't be written doesn't take the result away.
func saveBugs(r *result.Result, c *config.Config, out string) (failed error) {
	for i, b := range r.Bugs {
		b.File = ""
		own := c.For(&r.Guest, b)
		if out != "" && b.Schedule != "" {
			path := numbered(out, i+1)
			if err := result.NewBugFile(r, b, own.Saved()).Write(path); err != nil {
				failed = err
			} else {
				b.File = path
			}
		}
		if b.Schedule != "" {
			b.Replay = own.ReplayCommand(b.File, b.Schedule)
		}
	}
	return failed
}

// numbered is the path of the n-th bug: x.landgo, x.2.landgo, x.3.landgo.
func numbered(path string, n int) string {
	if n == 1 {
		return path
	}
	const ext = ".landgo"
	base, ok := strings.CutSuffix(path, ext)
	if !ok {
		return fmt.Sprintf("%s.%d", path, n)
	}
	return fmt.Sprintf("%s.%d%s", base, n, ext)
}

// progress is the observer that shows how far a search is.
func (a *app) progress(c *config.Config) *report.Progress {
	if c.Quiet {
		return report.NewProgress(io.Discard, report.ProgressStyle{})
	}
	width, terminal := terminalWidth(a.stderr)
	return report.NewProgress(a.stderr, report.ProgressStyle{Terminal: terminal, Width: width, Limited: c.Time != 0})
}
