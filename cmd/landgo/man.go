package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"landgo/explore"
	"landgo/result"
)

// manCommand writes the man pages, for packagers. They are made here and not by
// cobra/doc, which would bring a Markdown renderer along and knows nothing of
// the option table's longer texts.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIRECTORY",
		Short:  "write the man pages into a directory",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return result.Errorf(result.Usage, "want the directory to write the man pages into")
			}
			return writeMan(cmd.Root(), args[0])
		},
	}
}

// writeMan writes landgo.1 and a page for each command.
func writeMan(root *cobra.Command, dir string) error {
	pages := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			pages = append(pages, c)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return manError(dir, err)
	}
	for _, c := range pages {
		path := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		if err := os.WriteFile(path, []byte(manPage(c)), 0o644); err != nil {
			return manError(path, err)
		}
	}
	return nil
}

func manError(path string, err error) error {
	if p, ok := err.(*fs.PathError); ok {
		err = p.Err
	}
	return result.Errorf(result.NoOutput, "can't write %s: %w", path, err)
}

// manPage is a command's page in roff.
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"landgo %s\" \"landgo\"\n", roff(strings.ToUpper(name)), result.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(useLine(cmd)))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", paragraphs(cmd.Long, cmd.Short))
	for _, g := range explore.Groups {
		manOptions(&b, cmd, g)
	}
	if cmd.LocalFlags().HasAvailableFlags() {
		fmt.Fprintf(&b, ".SH OTHER FLAGS\n")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if explore.OptionNamed(f.Name) == nil {
				fmt.Fprintf(&b, ".TP\n.B %s\n%s.\n", roff("--"+f.Name), roff(f.Usage))
			}
		})
	}
	if cmd.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(cmd.Example))
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n.nf\n%s.fi\n", roff(exitText))
	if related := seeAlso(cmd); related != "" {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", related)
	}
	return b.String()
}

func manOptions(b *strings.Builder, cmd *cobra.Command, g explore.Group) {
	first := true
	for i := range explore.Options {
		o := &explore.Options[i]
		if o.Group != g || o.Hidden || cmd.Flags().Lookup(o.Name) == nil {
			continue
		}
		if first {
			fmt.Fprintf(b, ".SH %s\n", roff(strings.ToUpper(string(g))))
			first = false
		}
		fmt.Fprintf(b, ".TP\n.BI %s \" %s\"\n%s. %s\n", roff("--"+o.Name), roff(o.Value), roff(o.Help), roff(o.Doc))
		if d := o.Default(); d != "" {
			fmt.Fprintf(b, "The default is %s.\n", roff(d))
		}
	}
}

func seeAlso(cmd *cobra.Command) string {
	if cmd.HasParent() {
		return ".BR landgo (1)"
	}
	var pages []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" && c.Name() != "completion" {
			pages = append(pages, fmt.Sprintf(".BR landgo-%s (1)", c.Name()))
		}
	}
	return strings.Join(pages, ",\n")
}

// paragraphs is a command's long text, or its short one as a sentence.
func paragraphs(long, short string) string {
	if long == "" {
		long = short + "."
	}
	return strings.ReplaceAll(roff(long), "\n\n", "\n.PP\n")
}

// roff escapes text: backslashes, hyphens, and dots and quotes that begin a
// line.
func roff(text string) string {
	text = strings.ReplaceAll(text, `\`, `\e`)
	text = strings.ReplaceAll(text, "-", `\-`)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
