package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// exitText is "landgo help exit", and a section of each man page.
const exitText = `0  verified: the whole space at the stated granularity, and no bug
   bounded: the whole space within the stated bound, and no bug
1  bug. With replay: the same bug came back
2  usage, unreadable input, a bug file that doesn't fit
3  budget: time, memory or executions ran out, or you interrupted it; no bug so
   far. With replay: the bug didn't come back
4  invalid: the guest can't be controlled, or does something that isn't modelled
5  a fault of landgo's own; never a verdict
`

const errorsName = "errors"

// Topics are pages of help: commands that can't be run.

func errorsTopic() *cobra.Command {
	return &cobra.Command{Use: errorsName, Short: "every error with its cause and cure", Long: result.ErrorTable()}
}

func exitTopic() *cobra.Command {
	return &cobra.Command{Use: "exit", Short: "the verdicts and exit statuses", Long: exitText}
}

func (a *app) helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "explain a command or a topic",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.help(root)
			}
			about := named(root, args[0])
			switch {
			case about != nil && len(args) == 1:
				return a.help(about)
			case about != nil && about.Name() == errorsName && len(args) == 2:
				return a.explain(args[1])
			}
			return unknownCommand(root, args[0])
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return names(root), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// explain shows the entry of one error.
func (a *app) explain(name string) error {
	var names []string
	for _, p := range result.Problems {
		if string(p.Kind) == name {
			return a.print(func(w io.Writer) { fmt.Fprint(w, p.Text()) })
		}
		names = append(names, string(p.Kind))
	}
	return result.Errorf(result.Usage, "no error is called %q%s", name, config.DidYouMean("%q", name, names))
}

// help shows a command's page.
func (a *app) help(c *cobra.Command) error {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	return a.print(func(w io.Writer) {
		fmt.Fprintln(w, strings.TrimSpace(text))
		if c.Runnable() || c.HasAvailableSubCommands() {
			fmt.Fprintln(w)
			writeUsage(w, c)
		}
	})
}

// writeUsage shows how to call a command.
func writeUsage(w io.Writer, c *cobra.Command) {
	fmt.Fprintf(w, "Usage:\n  %s\n", useLine(c))
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nCommands:\n")
		rows(w, c, func(s *cobra.Command) bool { return s.IsAvailableCommand() || s.Name() == "help" })
	}
	if c.HasHelpSubCommands() {
		fmt.Fprintf(w, "\nMore help (landgo help NAME):\n")
		rows(w, c, func(s *cobra.Command) bool { return s.IsAdditionalHelpTopicCommand() })
	}
	rest := "Flags"
	for _, g := range config.Groups {
		if rows := optionRows(c, g); rows != "" {
			fmt.Fprintf(w, "\n%s:\n%s", g, rows)
			rest = "Other flags"
		}
	}
	fmt.Fprintf(w, "\n%s:\n%s", rest, otherFlags(c))
	if !c.HasParent() {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" says more about a command.\n", c.CommandPath())
	}
}

// rows lists some of a command's parts.
func rows(w io.Writer, c *cobra.Command, which func(*cobra.Command) bool) {
	for _, s := range c.Commands() {
		if which(s) {
			fmt.Fprintf(w, "  %-12s %s\n", s.Name(), s.Short)
		}
	}
}

// useLine is a command's synopsis.
func useLine(c *cobra.Command) string {
	if !c.HasParent() {
		return c.Use
	}
	return c.Parent().CommandPath() + " " + c.Use
}

// optionRows has the command's options of a group, one a line.
func optionRows(c *cobra.Command, g config.Group) string {
	var b strings.Builder
	for i := range config.Options {
		o := &config.Options[i]
		if o.Group != g || o.Hidden || optionOf(c.Flags().Lookup(o.Name)) == nil {
			continue
		}
		head := o.Flag()
		if o.Value != "" {
			head += " " + o.Value
		}
		help := o.Help
		if d := o.Default(); d != "" {
			help += " (default " + d + ")"
		}
		row(&b, head, help)
	}
	return b.String()
}

// otherFlags has those that aren't in the option table.
func otherFlags(c *cobra.Command) string {
	var b strings.Builder
	c.InitDefaultHelpFlag()
	visible(c.Flags(), func(f *pflag.Flag) {
		if optionOf(f) != nil {
			return
		}
		head := "--" + f.Name
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		value, help := pflag.UnquoteUsage(f)
		if value != "" {
			head += " " + value
		}
		if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" {
			help += " (default " + f.DefValue + ")"
		}
		row(&b, head, help)
	})
	return b.String()
}

// optionOf is the option that a flag sets; nil: none, though it may have the name of one,
// as grade's --html has.
func optionOf(f *pflag.Flag) *config.Option {
	if f == nil {
		return nil
	}
	own, _ := f.Value.(optionFlag)
	return own.option
}

func row(b *strings.Builder, head, help string) {
	if len(head) > 24 {
		fmt.Fprintf(b, "  %s\n  %-24s %s\n", head, "", help)
		return
	}
	fmt.Fprintf(b, "  %-24s %s\n", head, help)
}
