package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/explore"
	"landgo/report"
	"landgo/result"
)

// app is one call of landgo.
type app struct {
	engine         engine
	stdout, stderr io.Writer
	// status is the exit status of a command that gave no error.
	status int
}

// rootCommand is landgo's command tree.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "landgo",
		Short: "explore the interleavings of a multithreaded program",
		Long: `landgo runs a compiled multithreaded program once for each way in which its
threads can take turns that could make a difference, and shows the one that
fails: which thread ran when, which accesses or locks collided, and how to see
it again.

A guest is a static x86-64 ELF program: gcc -static -pthread test.c -g -o test`,
		Example: `  landgo run test                 look for a bug at every shared access
  landgo run --pp lock test       switch threads at locks only: faster
  landgo replay test.landgo       run the bug that was found again, step by step
  landgo inspect test             what landgo sees in the program`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return unknownCommand(cmd, args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(a.usage)
	root.SetHelpFunc(a.help)
	root.CompletionOptions.HiddenDefaultCmd = false
	root.AddCommand(a.runCommand(), a.replayCommand(), a.inspectCommand(), a.searchesCommand(), a.versionCommand(), a.manCommand(), errorsTopic(), exitTopic())
	root.SetHelpCommand(a.helpCommand())
	root.InitDefaultCompletionCmd()
	return root
}

// unknownCommand is the error for a first word that is no command.
func unknownCommand(cmd *cobra.Command, word string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || isTopic(c) {
			names = append(names, c.Name())
		}
	}
	hint := explore.DidYouMean("%q", word, names)
	if _, err := os.Stat(word); hint == "" && err == nil {
		hint = fmt.Sprintf(", did you mean \"run %s\"?", word)
	}
	return result.Errorf(result.Usage, "unknown command %q%s", word, hint)
}

// flagError makes pflag's errors landgo's, with the nearest right name.
func flagError(cmd *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	var own *result.Error
	if errors.As(err, &own) {
		return own // what Option.Apply said, without pflag's words around it
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		name := unknown.GetSpecifiedName()
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		return result.Errorf(result.Usage, "unknown flag --%s%s", name, explore.DidYouMean("--%s", name, names))
	}
	return result.Errorf(result.Usage, "%w", err)
}

// optionFlag is an entry of the option table as a flag.
type optionFlag struct {
	option *explore.Option
	config *explore.Config
}

func (f optionFlag) Set(v string) error { return f.option.Apply(f.config, v) }
func (f optionFlag) String() string     { return "" } // the help says the defaults
func (f optionFlag) Type() string       { return f.option.Value }

// addOptions gives a command the flags for the options that it takes.
func addOptions(cmd *cobra.Command, c *explore.Config, takes func(*explore.Option) bool) {
	for i := range explore.Options {
		o := &explore.Options[i]
		if !takes(o) {
			continue
		}
		f := cmd.Flags().VarPF(optionFlag{o, c}, o.Name, "", o.Help)
		f.Hidden = o.Hidden
		if o.Value == "" {
			f.NoOptDefVal = "true"
		}
		if err := cmd.RegisterFlagCompletionFunc(o.Name, complete(o)); err != nil {
			panic(err) // the flag was added just above
		}
	}
}

// guestArgs splits a command's arguments into those before and after "--".
func guestArgs(cmd *cobra.Command, args []string) (own, guests []string) {
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		return args[:dash], args[dash:]
	}
	return args, nil
}

// oneGuest is the guest of a command that takes one.
func oneGuest(own []string) (string, error) {
	switch len(own) {
	case 0:
		return "", result.Errorf(result.Usage, "no guest given")
	case 1:
		return own[0], nil
	}
	return "", result.Errorf(result.Usage, "more than one guest given: %s (arguments of the guest go after --)", strings.Join(own, " "))
}

// style is how text is to look where a writer leads to.
func style(w io.Writer) report.Style {
	width, terminal := terminalWidth(w)
	dir, _ := os.Getwd()
	return report.Style{
		Width:  width,
		Color:  terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Dir:    dir,
		Source: readSource,
	}
}

// maxSource is more than anybody's source file.
const maxSource = 16 << 20

// readSource reads a source file that a guest's line information names. A guest
// can name anything, so only a regular file of a sensible size is read.
func readSource(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() || st.Size() > maxSource {
		return nil, fmt.Errorf("%s isn't a source file", path)
	}
	return os.ReadFile(path)
}

// print writes a whole result at once, so that a reader never has half of it.
func (a *app) print(write func(io.Writer)) error {
	var b bytes.Buffer
	write(&b)
	_, err := a.stdout.Write(b.Bytes())
	return err // doMain explains it
}
