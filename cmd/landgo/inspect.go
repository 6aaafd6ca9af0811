package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"landgo/internal/explore/config"
	"landgo/internal/report"
	"landgo/internal/result"
)

func (a *app) inspectCommand() *cobra.Command {
	c := config.Default()
	c.Time = inspectTime
	cmd := &cobra.Command{
		Use:   "inspect [flags] GUEST",
		Short: "show what landgo sees in a guest",
		Long: `inspect describes a guest without exploring it: the kernel that landgo
recognises, the functions whose meaning it knows, the preemption points of each
kind, the trusted and the unmodelled parts.`,
		Example:               `  landgo inspect test`,
		DisableFlagsInUseLine: true,
	}
	addOptions(cmd, &c, inspectTakes)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		own, guests := guestArgs(cmd.Flags(), args)
		if c.Guest, err = oneGuest(own); err != nil {
			return err
		}
		c.Args = guests
		return a.inspect(cmd.Context(), c)
	}
	return cmd
}

// inspect describes the guest.
func (a *app) inspect(ctx context.Context, c config.Config) error {
	a.asked = c
	if err := c.Validate(); err != nil {
		return err
	}
	seen, err := a.engine.Inspect(ctx, c, keeper{a.newEarly(style(a.stderr, nil, false), a.progress(&c)), a.watch})
	a.mayTell()
	if err != nil {
		return err
	}
	seen.Finish()
	a.status, a.told = result.ExitOK, true
	return a.print(func(w io.Writer) {
		if c.Format == config.JSONFormat {
			report.JSON(w, seen)
			return
		}
		report.Inspection(w, seen, style(a.stdout, nil, c.Verbose))
	})
}
