package main

import (
	"strings"

	"github.com/spf13/cobra"

	"landgo/explore"
)

// complete offers a shell the values of an option, where the table lists them.
func complete(o *explore.Option) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(o.Words) == 0 {
			return nil, cobra.ShellCompDirectiveDefault // a file, or free text
		}
		// Of a list, the last entry is being typed.
		before := ""
		if i := strings.LastIndexByte(typed, ','); o.List && i >= 0 {
			before = typed[:i+1]
		}
		var offers []string
		for _, w := range o.Words {
			if strings.HasPrefix(before+w, typed) {
				offers = append(offers, before+w)
			}
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		if o.List {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		return offers, directive
	}
}
