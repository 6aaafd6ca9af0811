package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// Shells ask landgo itself for the next words of its command line: their scripts
// call "landgo __complete WORD... TYPED".

//go:embed completion
var scripts embed.FS

var shells = []string{"bash", "fish", "zsh"}

// completionCommand prints a shell's script.
func (a *app) completionCommand() *command {
	return &command{
		name:  "completion",
		use:   "SHELL",
		short: "print the completion script for a shell",
		long: `completion prints a script that has bash, fish or zsh complete landgo's command
line. "make install" puts them where these shells look.`,
		example: `  source <(landgo completion bash)`,
		run: func(_ context.Context, args []string) error {
			if len(args) != 1 || !slices.Contains(shells, args[0]) {
				return result.Errorf(result.Usage, "want one of %s", strings.Join(shells, ", "))
			}
			text, err := scripts.ReadFile("completion/landgo." + args[0])
			if err != nil {
				return err
			}
			return a.print(func(w io.Writer) { w.Write(text) })
		},
		offers: func(args []string) []string {
			if len(args) > 0 {
				return nil
			}
			return shells
		},
	}
}

// moreMark is the line behind offers that may go on: a list's.
const moreMark = ":more"

// completeCommand prints the offers for its last argument, which is being
// typed: one a line, with its description behind a tab.
func (a *app) completeCommand(root *command) *command {
	return &command{name: "__complete", hidden: true, raw: true, run: func(_ context.Context, args []string) error {
		if len(args) == 0 {
			return result.Errorf(result.Usage, "want the words of a command line")
		}
		last := len(args) - 1
		offers := root.complete(args[:last], args[last])
		return a.print(func(w io.Writer) {
			for _, o := range offers {
				fmt.Fprintln(w, o)
			}
		})
	}}
}

// complete lists the possible words after words, with the typed beginning.
func (c *command) complete(words []string, typed string) (offers []string) {
	// bash takes the sign in --flag=value for a word.
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "=" })
	typed = strings.TrimPrefix(typed, "=")
	if len(words) > 0 && c.parent == nil {
		if c = c.named(words[0]); c == nil {
			return nil
		}
		words = words[1:]
	}
	if slices.Contains(words, "--") {
		return nil // the guest's arguments
	}
	if n := len(words); n > 0 && strings.HasPrefix(words[n-1], "--") {
		if f := c.set().Lookup(words[n-1][2:]); f != nil && f.NoOptDefVal == "" {
			return values(f, "", typed)
		}
	}
	if name, value, given := strings.Cut(typed, "="); given && strings.HasPrefix(name, "--") {
		return values(c.set().Lookup(name[2:]), name+"=", value)
	}
	offer := func(word, about string) {
		if strings.HasPrefix(word, typed) {
			offers = append(offers, strings.TrimSuffix(word+"\t"+about, "\t"))
		}
	}
	switch {
	case strings.HasPrefix(typed, "-"):
		visible(c.set(), func(f *pflag.Flag) { offer("--"+f.Name, f.Usage) })
	case c.offers != nil:
		args := slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
		for _, w := range c.offers(args) {
			offer(w, "")
		}
	default:
		for _, s := range c.commands {
			if s.listed() {
				offer(s.name, s.short)
			}
		}
	}
	return offers
}

// values offers those of an option, where the table lists them, each with the
// text before it.
func values(f *pflag.Flag, before, typed string) (offers []string) {
	if f == nil {
		return nil
	}
	o := config.OptionNamed(f.Name)
	if o == nil || len(o.Words) == 0 {
		return nil // a file, or free text
	}
	// Of a list, the last entry is being typed.
	if i := strings.LastIndexByte(typed, ','); o.List && i >= 0 {
		before, typed = before+typed[:i+1], typed[i+1:]
	}
	for _, w := range o.Words {
		if strings.HasPrefix(w, typed) {
			offers = append(offers, before+w)
		}
	}
	if o.List && len(offers) > 0 {
		offers = append(offers, moreMark)
	}
	return offers
}
