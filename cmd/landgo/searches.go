package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"landgo/internal/explore/config"
)

// searchesCommand lists the searches: it is made from package por's table.
func (a *app) searchesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "searches",
		Short: "list the ways to search",
		Long: `searches lists what --search takes: where each search comes from, what it proves
when it has finished without a bug, and the bounds under which it is sound.`,
		Args: nothing(""),
		RunE: func(*cobra.Command, []string) error {
			return a.print(func(w io.Writer) { fmt.Fprint(w, searchesText()) })
		},
	}
}

func searchesText() string {
	var b strings.Builder
	for i, k := range config.Searches() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", k.Name, k.About)
		fmt.Fprintf(&b, "  paper    %s\n", k.Paper)
		fmt.Fprintf(&b, "  proves   %s\n", k.Proves())
		if s := k.Spared(); s != "" {
			fmt.Fprintf(&b, "  loops    %s\n", s)
		}
		fmt.Fprintf(&b, "  bounds   %s\n", k.Takes())
		for _, p := range k.Params {
			fmt.Fprintf(&b, "  :%s=%d  %s\n", p.Name, p.Default, p.Help)
		}
	}
	return b.String()
}
