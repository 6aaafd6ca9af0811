package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/sources"
)

func (a *app) replayCommand() *cobra.Command {
	c := config.Default()
	c.Time = replayTime
	cmd := &cobra.Command{
		Use:   "replay [flags] BUGFILE [GUEST]\n  landgo replay --schedule S [flags] GUEST [-- ARGUMENT...]",
		Short: "run one interleaving again, with a step-by-step account",
		Long: `replay runs exactly the interleaving that a bug file holds, and reports each
step. The guest is the one that the file names, or GUEST if it has moved.
replay refuses another guest, version or configuration, with the reason.

A bug file sets no limits: --step-budget, --max-threads and --max-output are
this command's. It makes landgo read no file of this machine except the guest,
and that only if it is the very program of the bug. Give --stdin and --file
again if the guest's input is too large for the bug file.

With --schedule it takes the schedule from a report's text; the options have to
be those of the run that printed it.

The exit status is 1 when the same bug came back, 3 when it didn't.`,
		Example: `  landgo replay test.landgo
  landgo replay test.landgo build/test
  landgo replay --schedule s1:7f03a9c2:0@10412,0.1@35 test`,
		DisableFlagsInUseLine: true,
	}
	schedule := cmd.Flags().String("schedule", "", "the schedule to run, instead of a bug file's")
	addOptions(cmd, &c, replayTakes)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, guests := guestArgs(cmd.Flags(), args)
		if cmd.Flags().Changed("schedule") {
			guest, err := oneGuest(own)
			if err != nil {
				return err
			}
			c.Guest, c.Args, c.GuestNamed = guest, guests, true
			return a.replay(cmd.Context(), c, &result.BugFile{Schedule: *schedule}, nil)
		}
		c, file, err := ofBugFile(cmd.Flags(), c, own, guests)
		if err != nil {
			return err
		}
		return a.replay(cmd.Context(), c, file, own)
	}
	return cmd
}

// ofBugFile reads a bug file, which brings its own configuration.
func ofBugFile(flags *pflag.FlagSet, given config.Config, own, guests []string) (c config.Config, file *result.BugFile, err error) {
	switch {
	case len(own) == 0:
		return c, nil, result.Errorf(result.Usage, "no bug file given")
	case len(own) > 2 || len(guests) > 0:
		return c, nil, result.Errorf(result.Usage, "a bug file brings the guest's arguments: give the file, and the guest if it has moved")
	}
	for i := range config.Options {
		if o := &config.Options[i]; o.Kept() && !o.OfHost() && flags.Changed(o.Name) {
			return c, nil, result.Errorf(result.Usage, "--%s doesn't go with a bug file, which has the options that its bug was found with", o.Name)
		}
	}
	if file, err = result.ReadBugFile(own[0]); err != nil {
		return c, nil, err
	}
	if c, err = config.ConfigOf(file); err != nil {
		return c, nil, err
	}
	if err := c.TakeHost(&given); err != nil {
		return c, nil, err
	}
	if len(own) == 2 {
		c.Guest, c.GuestNamed = own[1], true
	}
	return c, file, nil
}

// replay runs the interleaving and shows its result. named are the bug file and the guest, as
// the user named them.
func (a *app) replay(ctx context.Context, c config.Config, file *result.BugFile, named []string) error {
	a.asked = c
	r, from, err := a.again(ctx, &c, file)
	if err != nil {
		return err
	}
	if c.HTML != "" {
		if err := writePageOf(&c, r, from, named); err != nil {
			return err
		}
		r.Bug.Page = c.HTML
	}
	if err := a.show(r, &c, from); err != nil {
		return err
	}
	a.status = r.ExitStatus()
	return nil
}

// again runs the interleaving.
func (a *app) again(ctx context.Context, c *config.Config, file *result.BugFile) (*result.Result, sources.Folders, error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	if err := result.CheckSchedule(file.Schedule); err != nil {
		return nil, nil, err
	}
	from, err := sources.Of(c, c.GuestNamed || !filepath.IsAbs(c.Guest))
	if err != nil {
		return nil, nil, err
	}
	a.watch.run(c, "")
	early := a.newEarly(style(a.stderr, from, false), a.progress(c))
	r, err := a.engine.Replay(ctx, *c, file, keeper{early, a.watch})
	a.mayTell()
	early.end()
	if err != nil {
		return nil, nil, err
	}
	a.notes(r)
	r.Finish()
	return r, from, nil
}

// replayTime and inspectTime are limits unless others are given: far more than either
// takes.
const replayTime, inspectTime = 10 * time.Minute, 5 * time.Minute
