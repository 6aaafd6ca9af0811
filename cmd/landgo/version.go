package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"landgo/internal/result"
)

// version is set by the build to the state of the repository.
var version = ""

func (a *app) versionCommand() *command {
	return &command{
		name:  "version",
		short: "print landgo's version",
		run: func(_ context.Context, args []string) error {
			if len(args) > 0 {
				return result.Errorf(result.Usage, "version takes no argument, got %q", args[0])
			}
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
