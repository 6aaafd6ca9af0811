package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/explore"
	"landgo/result"
)

// exitText is "landgo help exit", and a section of each man page.
const exitText = `0  verified: the whole space at the stated granularity, and no bug
   bounded: the whole space within the stated bound, and no bug
1  bug; of a replay: the same bug came back
2  usage, unreadable input, a bug file that doesn't fit
3  budget: time, memory or executions ran out, or an interrupt, and no bug so
   far; of a replay: the bug didn't come back
4  invalid: the guest can't be controlled, or does what isn't modelled
5  a fault of landgo's own; never a verdict
`

const errorsName = "errors"

func errorsTopic() *cobra.Command {
	return &cobra.Command{Use: errorsName, Short: "every error with its cause and cure", Long: result.ErrorTable()}
}

func exitTopic() *cobra.Command {
	return &cobra.Command{Use: "exit", Short: "the verdicts and exit statuses", Long: exitText}
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "explain a command or a topic",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err == nil && about.Name() == errorsName && len(rest) == 1 {
				return a.explain(rest[0])
			}
			if err != nil || len(rest) > 0 {
				return unknownCommand(cmd.Root(), args[0])
			}
			about.InitDefaultHelpFlag() // so that its page lists it
			return about.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) (names []string, _ cobra.ShellCompDirective) {
			for _, c := range cmd.Root().Commands() {
				if (c.IsAvailableCommand() || isTopic(c)) && len(args) == 0 && strings.HasPrefix(c.Name(), typed) {
					names = append(names, c.Name())
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
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
	return result.Errorf(result.Usage, "no error is called %q%s", name, explore.DidYouMean("%q", name, names))
}

// isTopic reports whether a command is only a page of help.
func isTopic(cmd *cobra.Command) bool {
	return cmd.HasParent() && !cmd.Runnable() && !cmd.HasSubCommands()
}

// help shows a command's page.
func (a *app) help(cmd *cobra.Command, _ []string) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	fmt.Fprintln(a.stdout, strings.TrimSpace(text))
	if !isTopic(cmd) {
		fmt.Fprintln(a.stdout)
		writeUsage(a.stdout, cmd)
	}
}

// usage shows how to call a command.
func (a *app) usage(cmd *cobra.Command) error {
	writeUsage(a.stderr, cmd)
	return nil
}

func writeUsage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, "Usage:\n  %s\n", useLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\nCommands:\n")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	if cmd.HasHelpSubCommands() && !cmd.HasParent() {
		fmt.Fprintf(w, "\nMore help (landgo help NAME):\n")
		for _, c := range cmd.Commands() {
			if isTopic(c) {
				fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	for _, g := range explore.Groups {
		if rows := optionRows(cmd, g); rows != "" {
			fmt.Fprintf(w, "\n%s:\n%s", g, rows)
		}
	}
	if rows := otherFlags(cmd); rows != "" {
		fmt.Fprintf(w, "\nOther flags:\n%s", rows)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" says more about a command.\n", cmd.CommandPath())
	}
}

// useLine is a command's synopsis.
func useLine(cmd *cobra.Command) string {
	switch {
	case !cmd.HasParent():
		return cmd.Name() + " COMMAND"
	case cmd.Runnable():
		return cmd.Parent().CommandPath() + " " + cmd.Use
	}
	return cmd.CommandPath() + " COMMAND"
}

// optionRows has the command's options of a group, one a line.
func optionRows(cmd *cobra.Command, g explore.Group) string {
	var b strings.Builder
	for i := range explore.Options {
		o := &explore.Options[i]
		if o.Group != g || o.Hidden || cmd.Flags().Lookup(o.Name) == nil {
			continue
		}
		head := "--" + o.Name
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
func otherFlags(cmd *cobra.Command) string {
	var b strings.Builder
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || explore.OptionNamed(f.Name) != nil {
			return
		}
		head := "--" + f.Name
		if f.Shorthand != "" {
			head = "-" + f.Shorthand + ", " + head
		}
		if f.Value.Type() != "bool" {
			head += " " + strings.ToUpper(f.Value.Type())
		}
		row(&b, head, f.Usage)
	})
	return b.String()
}

func row(b *strings.Builder, head, help string) {
	if len(head) > 24 {
		fmt.Fprintf(b, "  %s\n  %-24s %s\n", head, "", help)
		return
	}
	fmt.Fprintf(b, "  %-24s %s\n", head, help)
}
