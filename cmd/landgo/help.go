package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// exitText is "landgo help exit", and a section of each man page.
const exitText = `0  verified: the whole space at the stated granularity, and no bug
   bounded: the whole space within the stated bound, and no bug
1  bug; of a replay: the same bug came back
2  usage, unreadable input, a bug file that doesn't fit
3  budget: time, memory or executions ran out, or an interrupt, and no bug so
   far; of a replay: the bug didn't come back
4  invalid: the guest can't be controlled, or does something that isn't modelled
5  a fault of landgo's own; never a verdict
`

const errorsName = "errors"

func errorsTopic() *command {
	return &command{name: errorsName, short: "every error with its cause and cure", long: result.ErrorTable()}
}

func exitTopic() *command {
	return &command{name: "exit", short: "the verdicts and exit statuses", long: exitText}
}

func (a *app) helpCommand(root *command) *command {
	return &command{
		name:  "help",
		use:   "[COMMAND or TOPIC]",
		short: "explain a command or a topic",
		run: func(_ context.Context, args []string) error {
			if len(args) == 0 {
				return a.help(root)
			}
			about := root.named(args[0])
			switch {
			case about != nil && len(args) == 1:
				return a.help(about)
			case about != nil && about.name == errorsName && len(args) == 2:
				return a.explain(args[1])
			}
			return unknownCommand(root, args[0])
		},
		offers: func(args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return root.names()
		},
	}
}

// names are those of the commands and topics.
func (c *command) names() (all []string) {
	for _, s := range c.commands {
		if !s.hidden {
			all = append(all, s.name)
		}
	}
	return all
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
func (a *app) help(c *command) error {
	text := c.long
	if text == "" {
		text = c.short
	}
	return a.print(func(w io.Writer) {
		fmt.Fprintln(w, strings.TrimSpace(text))
		if !c.isTopic() {
			fmt.Fprintln(w)
			writeUsage(w, c)
		}
	})
}

// writeUsage shows how to call a command.
func writeUsage(w io.Writer, c *command) {
	fmt.Fprintf(w, "Usage:\n  %s\n", c.useLine())
	if c.example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.example)
	}
	if c.parent == nil {
		fmt.Fprintf(w, "\nCommands:\n")
		c.rows(w, (*command).listed)
		fmt.Fprintf(w, "\nMore help (landgo help NAME):\n")
		c.rows(w, (*command).isTopic)
	}
	for _, g := range config.Groups {
		if rows := optionRows(c, g); rows != "" {
			fmt.Fprintf(w, "\n%s:\n%s", g, rows)
		}
	}
	fmt.Fprintf(w, "\nOther flags:\n%s", otherFlags(c))
	if c.parent == nil {
		fmt.Fprintf(w, "\n\"%s COMMAND --help\" says more about a command.\n", c.path())
	}
}

// rows lists some of a command's parts.
func (c *command) rows(w io.Writer, which func(*command) bool) {
	for _, s := range c.commands {
		if which(s) {
			fmt.Fprintf(w, "  %-12s %s\n", s.name, s.short)
		}
	}
}

// useLine is a command's synopsis.
func (c *command) useLine() string { return strings.TrimSpace(c.path() + " " + c.use) }

// optionRows has the command's options of a group, one a line.
func optionRows(c *command, g config.Group) string {
	var b strings.Builder
	for i := range config.Options {
		o := &config.Options[i]
		if o.Group != g || o.Hidden || c.set().Lookup(o.Name) == nil {
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
func otherFlags(c *command) string {
	var b strings.Builder
	visible(c.set(), func(f *pflag.Flag) {
		if config.OptionNamed(f.Name) != nil {
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
