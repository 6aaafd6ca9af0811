package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"landgo/result"
)

// version is set by the build to the state of the repository.
var version = ""

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print landgo's version",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.print(func(w io.Writer) {
				fmt.Fprintf(w, "landgo %s", result.Version)
				if version != "" {
					fmt.Fprintf(w, " (%s)", version)
				}
				fmt.Fprintf(w, " %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			})
		},
	}
}

// noArgs refuses arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return result.Errorf(result.Usage, "%s takes no argument, got %q", cmd.CommandPath(), args[0])
	}
	return nil
}
