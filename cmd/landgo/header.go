package main

import (
	"context"
	"io"

	"landgo/guests"
	"landgo/internal/result"
)

func (a *app) headerCommand() *command {
	return &command{
		name:  "header",
		short: "print the C header by which a kernel tells landgo of its threads",
		long: `header prints landgo.h, the C header that a kernel includes to tell landgo what
its scheduler does. It declares empty functions; the comment above each says
where the kernel is to call it. On any other machine nothing happens there.`,
		example: `  landgo header > landgo.h`,
		run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return result.Errorf(result.Usage, "header takes no argument, got %q: it prints, so redirect it: landgo header > landgo.h", args[0])
			}
			return a.print(func(w io.Writer) { w.Write(guests.Header) })
		},
	}
}
