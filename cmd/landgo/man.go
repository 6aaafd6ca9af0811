package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/internal/result"
)

// manCommand writes the man pages, for packagers.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "write the man pages into a directory",
		Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return result.Errorf(result.Usage, "want the directory to write the man pages into")
			}
			return writeMan(c.Root(), args[0])
		},
	}
}

// writeMan writes landgo.1 and a page for each command.
func writeMan(root *cobra.Command, dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = writePages(root, dir)
	}
	if err != nil {
		path := dir
		var p *fs.PathError
		if errors.As(err, &p) {
			path, err = p.Path, p.Err
		}
		return result.Errorf(result.NoOutput, "can't write %s: %w", path, err)
	}
	return nil
}

func writePages(c *cobra.Command, dir string) error {
	for _, s := range c.Commands() {
		if !s.IsAvailableCommand() || s.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePages(s, dir); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(manPage(c)), 0o644)
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage is a command's page in the language of man(7).
func manPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".nh\n.TH LANDGO 1 \"\" \"landgo %s\" landgo\n", result.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(pageName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fP\n", strings.ReplaceAll(roff(c.UseLine()), "\n", "\n.br\n"))
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, text)
	if c.LocalFlags().HasAvailableFlags() {
		b.WriteString(".SH OPTIONS\n")
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { manOption(&b, f) })
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLE\n")
		asItIs(&b, c.Example)
	}
	if hasPage(c) {
		b.WriteString(".SH EXIT STATUS\n")
		asItIs(&b, strings.TrimSuffix(exitText, "\n"))
	}
	var also []string
	if c.HasParent() {
		also = append(also, pageName(c.Parent()))
	}
	for _, s := range c.Commands() {
		if s.IsAvailableCommand() && !s.IsAdditionalHelpTopicCommand() {
			also = append(also, pageName(s))
		}
	}
	if len(also) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fP(1)\n", strings.Join(also, "\\fP(1), \\fB"))
	}
	return b.String()
}

// manOption gives an option all that is known of it: a page has room, where help has one line.
func manOption(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, text := f.Value.Type(), f.Usage
	if o := optionOf(f); o != nil {
		value, text = o.Value, o.Help+". "+o.Doc
		if d := o.Default(); d != "" {
			text += " The default is " + d + "."
		}
	}
	b.WriteString(".TP\n")
	if f.Shorthand != "" {
		fmt.Fprintf(b, "\\fB\\-%s\\fP, ", f.Shorthand)
	}
	fmt.Fprintf(b, "\\fB\\-\\-%s\\fP", roff(f.Name))
	if value != "" && value != "bool" {
		fmt.Fprintf(b, " \\fI%s\\fP", roff(value))
	}
	fmt.Fprintf(b, "\n%s\n", roff(text))
}

// paragraphs writes text whose paragraphs blank lines divide. A paragraph that is indented
// stays as it is.
func paragraphs(b *strings.Builder, text string) {
	for i, p := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(p, " ") || strings.HasPrefix(p, "\t") {
			asItIs(b, p)
		} else {
			b.WriteString(roff(p) + "\n")
		}
	}
}

func asItIs(b *strings.Builder, text string) { fmt.Fprintf(b, ".EX\n%s\n.EE\n", roff(text)) }

// roff is text of which man takes no letter for its own.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
