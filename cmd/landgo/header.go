package main

import (
	"io"

	"github.com/spf13/cobra"

	"landgo/guests"
)

func (a *app) headerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "header",
		Short: "print the C header by which a kernel tells landgo of its threads",
		Long: `header prints landgo.h, the C header that a kernel includes to tell landgo what
its scheduler does. It declares empty functions; the comment above each says
where the kernel is to call it. On any other machine nothing happens there.`,
		Example: `  landgo header > landgo.h`,
		Args:    nothing(": it prints, so redirect it: landgo header > landgo.h"),
		RunE: func(*cobra.Command, []string) error {
			return a.print(func(w io.Writer) { w.Write(guests.Header) })
		},
	}
}
