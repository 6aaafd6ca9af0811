package main

import (
	"io"

	"github.com/spf13/cobra"

	"landgo/guests"
)

func (a *app) headerCommand() *cobra.Command {
	linux := false
	c := &cobra.Command{
		Use:   "header",
		Short: "print the C header by which a kernel, or a program on Linux, tells landgo things",
		Long: `header prints landgo.h, the C header that a kernel includes to tell landgo what
its scheduler does. It declares empty functions; the comment above each says
where the kernel is to call it. On any other machine nothing happens there.

With --linux it prints landgo-linux.h, for programs on Linux. There
landgo_choice(n) is each of 0 to n-1 in some execution, and an execution in
which landgo_assume(condition) doesn't hold isn't looked at any further.
Conditions hold always or at some time (landgo_always, landgo_eventually), and
objects are linearizable (landgo_assert_linearizable).`,
		Example: `  landgo header > landgo.h
  landgo header --linux > landgo-linux.h`,
		Args: nothing(": it prints, so redirect it: landgo header > landgo.h"),
		RunE: func(*cobra.Command, []string) error {
			header := guests.Header
			if linux {
				header = guests.LinuxHeader
			}
			return a.print(func(w io.Writer) { w.Write(header) })
		},
	}
	c.Flags().BoolVar(&linux, "linux", false, "print landgo-linux.h, for programs on Linux")
	return c
}
