package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"landgo/internal/choose"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/sources"
)

func (a *app) exploreCommand() *cobra.Command {
	c := config.Default()
	cmd := &cobra.Command{
		Use:   "explore [flags] GUEST [-- ARGUMENT...]\n  landgo explore [flags] BUGFILE [GUEST]",
		Short: "choose by hand which thread is next, and see the result",
		Long: `explore stands at the beginning of a program, or of a bug file's interleaving, and
you say which thread takes the next step. A step is the run from one preemption
point to the next (--pp says where these are; before every access to shared memory
by default). It shows which threads can go on, and why the others can't. It goes back, shows
variables at each step, and says how it would end from here if another thread
went on.

In a terminal it has the whole screen; ? lists the keys. Otherwise, or with
--script, it reads commands, a line each: "help" lists them. With --json it writes
an object a line for each, and one before the first ("landgo schema explore").

The choices can be saved: a bug file that replay, debug and explore take, and
page too if it ends with a bug.`,
		Example: `  landgo explore test.c
  landgo explore test.landgo
  landgo explore --pp lock,unlock test -- -n 3
  printf 'run 0\nstep 1\nthreads\n' | landgo explore test`,
		DisableFlagsInUseLine: true,
	}
	addOptions(cmd, &c, exploreTakes)
	script := cmd.Flags().String("script", "", "a file of commands, a line each, in place of the keyboard")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, guests := guestArgs(cmd.Flags(), args)
		file := &result.BugFile{}
		if len(own) > 0 && isBugFile(own[0]) {
			given := c
			var err error
			if c, file, err = ofBugFile(cmd.Flags(), c, own, guests); err != nil {
				return err
			}
			c.Out, c.Quiet, c.Sources, c.Format = given.Out, given.Quiet, given.Sources, given.Format
		} else {
			var err error
			if c.Guest, err = a.built(cmd.Context(), "", own); err != nil {
				return err
			}
			c.Args, c.GuestNamed = guests, true
			if c.Naive() {
				return result.Errorf(result.Usage, "--pp race means what a search finds racing: give places (race=file.c:12), or mem")
			}
		}
		return a.explore(cmd.Context(), c, file, *script)
	}
	return cmd
}

// isBugFile reports whether a word names a bug file, by its name or by what is in it.
func isBugFile(path string) bool {
	if strings.HasSuffix(path, ".landgo") {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [1]byte
	_, err = io.ReadFull(f, begin[:])
	return err == nil && begin[0] == '{'
}

// explore has the user choose threads.
func (a *app) explore(ctx context.Context, c config.Config, file *result.BugFile, script string) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if file.Schedule != "" {
		if err := result.CheckSchedule(file.Schedule); err != nil {
			return err
		}
	}
	from, err := sources.Of(&c, c.GuestNamed || !filepath.IsAbs(c.Guest))
	if err != nil {
		return err
	}
	in := io.Reader(os.Stdin)
	asJSON := c.Format == config.JSONFormat
	screen := script == "" && !asJSON && choose.OnTerminal(os.Stdin, a.terminal())
	if script != "" {
		f, err := os.Open(script)
		if err != nil {
			return result.FileError(err)
		}
		defer f.Close()
		in = f
	}
	c.Time = 0 // a user takes as long as it takes
	seen := &beginning{}
	used, failed := false, 0
	r, err := a.engine.Explore(ctx, c, file, seen, func(chooser debugger.Chooser) (err error) {
		used = true
		run := &choose.Run{Chooser: chooser, Guest: filepath.Base(c.Guest), File: savedName(&c, file), JSON: asJSON, Source: choose.Lines(from.Read)}
		run.Save = func(saved *debugger.Saved, path string) (string, error) { return saveRun(seen.result, &c, saved, path) }
		if screen {
			return run.Screen(ctx, os.Stdin, a.terminal())
		}
		failed, err = run.Script(ctx, in, a.stdout)
		return err
	})
	a.mayTell()
	switch {
	case err != nil:
		return err
	case !used:
		r.Finish()
		return result.Errorf(cmp.Or(r.Problem, result.Diverged), "the guest can't be explored: %s", r.Reason)
	case failed > 0:
		a.status = result.ExitUsage
	}
	return nil
}

// terminal is standard output, if it is a file.
func (a *app) terminal() *os.File {
	if s, ok := a.stdout.(*sink); ok {
		if f, ok := s.Writer.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return f
		}
	}
	return nil
}

// beginning keeps what an engine tells of the guest before anything is run.
type beginning struct {
	silent
	result *result.Result
}

// SoFar implements wire.Observer.
func (b *beginning) SoFar(r *result.Result) { b.result = r }

// savedName is where a run is saved if the user gives no name: not over the file that was
// opened.
func savedName(c *config.Config, file *result.BugFile) string {
	if c.Out != "" && c.Out != config.NoFile {
		return c.Out
	}
	return filepath.Base(c.Guest) + ".byhand.landgo"
}

// saveRun writes a run that was chosen to a file.
func saveRun(r *result.Result, c *config.Config, saved *debugger.Saved, path string) (string, error) {
	if r == nil {
		return "", fmt.Errorf("the engine didn't say what the guest is")
	}
	if err := result.CheckWritable(path); err != nil {
		return "", err
	}
	own := c.For(&r.Guest, &result.Bug{})
	if err := result.NewRunFile(r, saved.Kind, saved.Message, saved.Schedule, own.Saved()).Write(path); err != nil {
		return "", err
	}
	told := "saved: landgo replay " + path
	if saved.Kind != "" {
		told += " runs to the bug again"
	} else {
		told += " runs these steps again, landgo explore " + path + " goes on from them"
	}
	return told, nil
}
