package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"landgo/guests"
	"landgo/internal/result"
)

func (a *app) headerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "header [kernel|linux]",
		Short: "print the C header by which a guest tells landgo what it does",
		Long: `header prints a C header of empty functions; the comment above each says where to
call it. On any other machine nothing happens there.

header kernel, or header alone, prints landgo.h, by which a kernel tells landgo
what its scheduler does. header linux prints landgo-linux.h, by which a Linux
program says what it is to do: conditions that hold always or at some time, and
objects that are linearizable.`,
		Example: `  landgo header > landgo.h
  landgo header linux > landgo-linux.h`,
		Args:      headers,
		ValidArgs: []string{"kernel", "linux"},
		RunE: func(_ *cobra.Command, args []string) error {
			text := guests.Header
			if len(args) > 0 && args[0] == "linux" {
				text = guests.LinuxHeader
			}
			return a.print(func(w io.Writer) { w.Write(text) })
		},
	}
}

// headers takes the names of the headers.
func headers(_ *cobra.Command, args []string) error {
	if len(args) > 1 || len(args) == 1 && args[0] != "kernel" && args[0] != "linux" {
		return result.Errorf(result.Usage, "want kernel or linux, got %q: landgo header linux > landgo-linux.h", strings.Join(args, " "))
	}
	return nil
}
