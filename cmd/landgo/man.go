package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// manCommand writes the man pages, for packagers.
func (a *app) manCommand(root *command) *command {
	return &command{
		name:   "man",
		use:    "DIRECTORY",
		short:  "write the man pages into a directory",
		hidden: true,
		run: func(_ context.Context, args []string) error {
			if len(args) != 1 {
				return result.Errorf(result.Usage, "want the directory to write the man pages into")
			}
			return writeMan(root, args[0])
		},
	}
}

// writeMan writes landgo.1 and a page for each command.
func writeMan(root *command, dir string) error {
	pages := []*command{root}
	for _, c := range root.commands {
		if c.hasPage() {
			pages = append(pages, c)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return manError(dir, err)
	}
	for _, c := range pages {
		path := filepath.Join(dir, strings.ReplaceAll(c.path(), " ", "-")+".1")
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
func manPage(c *command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.path(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"landgo %s\" \"landgo\"\n", roff(strings.ToUpper(name)), result.Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.useLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n", paragraphs(c.long, c.short))
	for _, g := range config.Groups {
		manOptions(&b, c, g)
	}
	fmt.Fprintf(&b, ".SH OTHER FLAGS\n")
	visible(c.set(), func(f *pflag.Flag) {
		if config.OptionNamed(f.Name) == nil {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s.\n", roff("--"+f.Name), roff(f.Usage))
		}
	})
	if c.example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(c.example))
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n.nf\n%s.fi\n", roff(exitText))
	if related := seeAlso(c); related != "" {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", related)
	}
	return b.String()
}

func manOptions(b *strings.Builder, c *command, g config.Group) {
	first := true
	for i := range config.Options {
		o := &config.Options[i]
		if o.Group != g || o.Hidden || c.set().Lookup(o.Name) == nil {
			continue
		}
		if first {
			fmt.Fprintf(b, ".SH %s\n", roff(strings.ToUpper(string(g))))
			first = false
		}
		fmt.Fprintf(b, ".TP\n.BI %s \" %s\"\n%s. %s\n", roff(o.Flag()), roff(o.Value), roff(o.Help), roff(o.Doc))
		if d := o.Default(); d != "" {
			fmt.Fprintf(b, "The default is %s.\n", roff(d))
		}
	}
}

func seeAlso(c *command) string {
	if c.parent != nil {
		return ".BR landgo (1)"
	}
	var pages []string
	for _, s := range c.commands {
		if s.hasPage() {
			pages = append(pages, fmt.Sprintf(".BR landgo-%s (1)", s.name))
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
