package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
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
	explain(root)
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = doc.GenManTree(root, &doc.GenManHeader{Title: "LANDGO", Section: "1", Source: "landgo " + result.Version, Manual: "landgo"}, dir)
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

// explain gives each option of each command all that is known of it: a page has room,
// where help has one line. Each page has the exit statuses.
func explain(c *cobra.Command) {
	c.DisableAutoGenTag = true
	for _, s := range c.Commands() {
		explain(s)
	}
	if !hasPage(c) {
		return
	}
	if c.Long == "" {
		c.Long = c.Short + "."
	}
	c.Long += "\n\n# EXIT STATUS\n```\n" + exitText + "```\n"
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if o := optionOf(f); o != nil {
			f.Usage = o.Help + ". " + o.Doc
			if d := o.Default(); d != "" {
				f.Usage += " The default is " + d + "."
			}
		}
	})
}
