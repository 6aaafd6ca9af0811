package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// A command is landgo itself, one of its commands, or a topic: a page of help.
type command struct {
	parent   *command
	name     string
	use      string // its arguments, as the synopsis has them
	short    string
	long     string
	example  string
	hidden   bool
	raw      bool           // its arguments are another command's: no flag is looked for
	flags    *pflag.FlagSet // nil: those that each command has
	run      func(ctx context.Context, args []string) error
	offers   func(args []string) []string // the next arguments that a shell may offer
	commands []*command                   // in the order of the help
}

// add makes commands parts of another.
func (c *command) add(all ...*command) {
	for _, s := range all {
		s.parent = c
	}
	c.commands = append(c.commands, all...)
}

// named is the part with a name, or nil.
func (c *command) named(name string) *command {
	for _, s := range c.commands {
		if s.name == name {
			return s
		}
	}
	return nil
}

// path is how a command is called.
func (c *command) path() string {
	if c.parent == nil {
		return c.name
	}
	return c.parent.path() + " " + c.name
}

// isTopic reports whether a command is only a page of help.
func (c *command) isTopic() bool { return c.run == nil }

// listed reports whether the help lists a command.
func (c *command) listed() bool { return !c.hidden && !c.isTopic() }

// hasPage reports whether a command has a page in the manual.
func (c *command) hasPage() bool { return c.listed() && c.name != "help" && c.name != "completion" }

// set is the command's flags. Those of each command are among them.
func (c *command) set() *pflag.FlagSet {
	if c.flags == nil {
		c.flags = newFlags()
	}
	if c.flags.Lookup("help") == nil {
		c.flags.BoolP("help", "h", false, "help for "+c.name)
	}
	return c.flags
}

func newFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SetOutput(io.Discard)
	return f
}

// execute runs the command that the arguments name.
func (a *app) execute(ctx context.Context, root *command, args []string) error {
	c := root
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		if c = root.named(args[0]); c == nil {
			return unknownCommand(root, args[0])
		}
		args = args[1:]
	}
	if c.raw {
		return c.run(ctx, args)
	}
	flags := c.set()
	if err := flags.Parse(args); err != nil {
		return flagError(flags, err)
	}
	if help, _ := flags.GetBool("help"); help || c.isTopic() {
		return a.help(c)
	}
	return c.run(ctx, flags.Args())
}

// flagError makes pflag's errors landgo's, with the nearest right name.
func flagError(flags *pflag.FlagSet, err error) error {
	var own *result.Error
	if errors.As(err, &own) {
		return own // the error of Option.Apply, without pflag's words around it
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		var names []string
		visible(flags, func(f *pflag.Flag) { names = append(names, f.Name) })
		return result.Errorf(result.Usage, "unknown flag --%s%s", name, config.DidYouMean("--%s", name, names))
	}
	return result.Errorf(result.Usage, "%w", err)
}

// visible visits the flags that aren't hidden.
func visible(flags *pflag.FlagSet, visit func(*pflag.Flag)) {
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			visit(f)
		}
	})
}
