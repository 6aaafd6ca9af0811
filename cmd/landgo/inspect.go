package main

import (
	"context"
	"io"

	"landgo/internal/explore/config"
	"landgo/internal/report"
	"landgo/internal/result"
)

func (a *app) inspectCommand() *command {
	c, flags := config.Default(), newFlags()
	addOptions(flags, &c, func(o *config.Option) bool {
		return o.Group == config.GroupPoints || o.Group == config.GroupWorld || o.Name == "json" || o.Name == "verbose" || limiting(o)
	})
	c.Time = inspectTime
	return &command{
		name:  "inspect",
		use:   "[flags] GUEST",
		short: "show what landgo sees in a guest",
		long: `inspect describes a guest without exploring it: the kernel that landgo
recognises, the functions whose meaning it knows, the preemption points of each
kind, the trusted and the unmodelled parts.`,
		example: `  landgo inspect test`,
		flags:   flags,
		run: func(ctx context.Context, args []string) (err error) {
			own, guests := guestArgs(flags, args)
			if c.Guest, err = oneGuest(own); err != nil {
				return err
			}
			c.Args = guests
			if err := c.Validate(); err != nil {
				return err
			}
			seen, err := a.engine.Inspect(ctx, c, keeper{a.newEarly(style(a.stderr, nil, false), a.progress(&c)), a.watch})
			a.mayTell()
			if err != nil {
				return err
			}
			seen.Finish()
			a.status = result.ExitOK
			return a.print(func(w io.Writer) {
				if c.JSON {
					report.JSON(w, seen)
					return
				}
				report.Inspection(w, seen, style(a.stdout, nil, c.Verbose))
			})
		},
	}
}
