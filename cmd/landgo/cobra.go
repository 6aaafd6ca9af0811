package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// execute runs the command that the arguments name.
func (a *app) execute(ctx context.Context, root *cobra.Command, args []string) error {
	root.SetArgs(args)
	root.SetErr(io.Discard) // errors are shown in one place, with their cures
	err := root.ExecuteContext(ctx)
	var own *result.Error
	if err != nil && !errors.As(err, &own) && result.KindOf(err) == result.Fault && usage(err) {
		return result.Errorf(result.Usage, "%w", err)
	}
	return err
}

// usage reports whether an error is cobra's, about the command line.
func usage(err error) bool {
	for _, words := range []string{"unknown command ", "accepts ", "requires "} {
		if strings.HasPrefix(err.Error(), words) {
			return true
		}
	}
	return false
}

// nothing is for a command without arguments: its error says that it takes none, and why
// one might think that it does.
func nothing(why string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return result.Errorf(result.Usage, "%s takes no argument, got %q%s", c.Name(), args[0], why)
		}
		return nil
	}
}

// flagError makes pflag's errors landgo's, with the nearest right name.
func flagError(c *cobra.Command, err error) error {
	var own *result.Error
	if errors.As(err, &own) {
		return own // the error of Option.Apply, without pflag's words around it
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		var names []string
		visible(c.Flags(), func(f *pflag.Flag) { names = append(names, f.Name) })
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

// names are those of a command's parts that a user may call.
func names(c *cobra.Command) (all []string) {
	for _, s := range c.Commands() {
		if !s.Hidden {
			all = append(all, s.Name())
		}
	}
	return all
}

// named is the part of a command with a name, or nil.
func named(c *cobra.Command, name string) *cobra.Command {
	for _, s := range c.Commands() {
		if s.Name() == name {
			return s
		}
	}
	return nil
}

// hasPage reports whether a command has a page in the manual.
func hasPage(c *cobra.Command) bool {
	return c.Runnable() && !c.Hidden && c.Name() != "help" && c.Name() != "completion"
}

// completeOption has shells offer the values of an option, where the table lists them.
func completeOption(c *cobra.Command, o *config.Option) {
	if len(o.Words) > 0 { // else it is a file, or free text
		completeWords(c, o.Name, o.Words, o.List)
	}
}

// completeWords has shells offer the values of a flag, which may be a list of them.
func completeWords(c *cobra.Command, flag string, words []string, list bool) {
	offer := func(_ *cobra.Command, _ []string, typed string) (offers []string, how cobra.ShellCompDirective) {
		how = cobra.ShellCompDirectiveNoFileComp
		before := ""
		if list { // the last entry is being typed
			how |= cobra.ShellCompDirectiveNoSpace
			if i := strings.LastIndexByte(typed, ','); i >= 0 {
				before, typed = typed[:i+1], typed[i+1:]
			}
		}
		for _, w := range words {
			if strings.HasPrefix(w, typed) {
				offers = append(offers, before+w)
			}
		}
		return offers, how
	}
	if err := c.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic(err) // the flag isn't there
	}
}
