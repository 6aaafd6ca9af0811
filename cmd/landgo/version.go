package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"landgo/internal/result"
)

// version is set by the build to the state of the repository.
var version = ""

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print landgo's version",
		Args:  nothing(""),
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
