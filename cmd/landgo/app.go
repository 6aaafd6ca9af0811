package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// app is one call of landgo.
type app struct {
	engine         wire.Engine
	stdout, stderr io.Writer
	watch          *watch
	// status is the exit status of a command that gave no error.
	status int
	// asked has the form of the result. told: one is on standard output, or an error in
	// its place.
	asked config.Config
	told  bool
	// source is the guest's source, "" if the guest was given.
	source string
}

// rootCommand is landgo itself, with its commands.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "landgo COMMAND",
		Short: "explore the interleavings of a multithreaded program",
		Long: `landgo runs a compiled multithreaded program once for each way in which its
threads can take turns that could make a difference, and shows the one that
fails. The report has the switches between threads, the accesses or locks that
collided, and the command that replays it.

A guest is an x86-64 program for Linux (gcc -g -pthread -o test test.c), or its
source: landgo run test.c`,
		Example: `  landgo run test                 look for a bug at every shared access
  landgo run --pp lock test       switch threads at locks only: faster
  landgo replay test.landgo       run the bug that was found again, step by step
  landgo inspect test             show what landgo sees in the program`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return a.help(c) },
	}
	root.AddCommand(a.debugCommand(), a.exploreCommand(), a.gradeCommand(), a.headerCommand(), a.inspectCommand(), a.pageCommand(), a.replayCommand(), a.runCommand(), a.schemaCommand(), a.searchesCommand(), a.versionCommand(), a.workerCommand(),
		errorsTopic(), exitTopic(), a.manCommand())
	root.SetHelpCommand(a.helpCommand(root))
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { a.help(c) }) // doMain explains an error of the output
	root.SetFlagErrorFunc(flagError)
	root.SetOut(a.stdout) // the completion command asks for it when it is made
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// unknownCommand is the error for a first word that is no command.
func unknownCommand(root *cobra.Command, word string) error {
	hint := config.DidYouMean("%q", word, names(root))
	if _, err := os.Stat(word); hint == "" && err == nil {
		hint = fmt.Sprintf(", did you mean \"run %s\"?", word)
	}
	return result.Errorf(result.Usage, "unknown command %q%s", word, hint)
}

// optionFlag is an entry of the option table as a flag.
type optionFlag struct {
	option *config.Option
	config *config.Config
}

func (f optionFlag) Set(v string) error { return f.option.Apply(f.config, v) }
func (f optionFlag) String() string     { return "" } // the help says the defaults
func (f optionFlag) Type() string       { return f.option.Value }

// addOptions gives a command flags for the options that it takes.
func addOptions(cmd *cobra.Command, c *config.Config, takes func(*config.Option) bool) {
	for i := range config.Options {
		o := &config.Options[i]
		if !takes(o) {
			continue
		}
		f := cmd.Flags().VarPF(optionFlag{o, c}, o.Name, o.Short, o.Help)
		f.Hidden = o.Hidden
		if o.Value == "" {
			f.NoOptDefVal = "true"
		}
		completeOption(cmd, o)
	}
}

// guestArgs splits a command's arguments into those before and after "--".
func guestArgs(flags *pflag.FlagSet, args []string) (own, guests []string) {
	if dash := flags.ArgsLenAtDash(); dash >= 0 {
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

// print writes a whole result at once, so that a reader never has half of it.
func (a *app) print(write func(io.Writer)) error {
	var b bytes.Buffer
	write(&b)
	_, err := a.stdout.Write(b.Bytes())
	return err // doMain explains it
}
