package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"landgo/internal/explore/config"
	"landgo/internal/host"
	"landgo/internal/page"
	"landgo/internal/result"
	"landgo/internal/sources"
)

func (a *app) pageCommand() *cobra.Command {
	c := config.Default()
	c.Time = replayTime
	cmd := &cobra.Command{
		Use:   "page [flags] BUGFILE [GUEST]",
		Short: "draw the interleaving of a bug file as an HTML page",
		Long: `page runs the interleaving that a bug file holds, and writes a page with a lane for
each thread. A lane shows what it does, where it was switched away from and why, the source and
the variables at each step. The page is one file, and asks for nothing from anywhere.
It goes to test.html for test.landgo, or where --html says.`,
		Example: `  landgo page test.landgo
  landgo page --html bug.html test.landgo build/test`,
		DisableFlagsInUseLine: true,
	}
	addOptions(cmd, &c, pageTakes)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		own, guests := guestArgs(cmd.Flags(), args)
		if c.HTML == "" && len(own) > 0 {
			c.HTML = strings.TrimSuffix(filepath.Base(own[0]), ".landgo") + ".html"
		}
		c, file, err := ofBugFile(cmd.Flags(), c, own, guests)
		if err != nil {
			return err
		}
		r, from, err := a.again(cmd.Context(), &c, file)
		if err != nil {
			return err
		}
		a.status = r.ExitStatus()
		if err := writePageOf(&c, r, from, own); err != nil {
			return err
		}
		return a.print(func(w io.Writer) { fmt.Fprintln(w, c.HTML) })
	}
	return cmd
}

// page writes the page of a run's bug with the fewest preemptions.
func (a *app) page(ctx context.Context, r *result.Result, c *config.Config, from sources.Folders) error {
	own := c.For(&r.Guest, r.Bug)
	file := result.NewBugFile(r, r.Bug, own.Saved())
	again, err := a.engine.Replay(ctx, *own, file, silent{})
	if err != nil {
		return err
	}
	again.Finish()
	if again.Bug == nil {
		return result.Errorf(result.Fault, "the bug didn't come back for its page")
	}
	again.Bug.Replay = r.Bug.Replay
	again.Coverage = r.Coverage
	return writePage(c.HTML, again, from)
}

// writePageOf writes the page of a bug file's replay. The page names the file, and the guest
// if the user has named one.
func writePageOf(c *config.Config, r *result.Result, from sources.Folders, own []string) error {
	if r.Bug != nil && len(own) > 0 {
		was := r.Bug.Replay
		defer func() { r.Bug.Replay = was }()
		r.Bug.Replay = c.ReplayCommand(own[0], "", own[1:]...)
	}
	return writePage(c.HTML, r, from)
}

// silent observes nothing.
type silent struct{}

func (silent) Progress(result.Progress) {}
func (silent) SoFar(*result.Result)     {}
func (silent) Late(result.ErrorKind)    {}

// writePage writes the page of a replay, whole or not at all.
func writePage(path string, r *result.Result, from sources.Folders) error {
	var b bytes.Buffer
	if err := page.Write(&b, r, from.Read); err != nil {
		return err
	}
	if err := host.WriteWhole(path, b.Bytes()); err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return result.Errorf(result.Unwritable, "can't write the page %s: %w", path, err)
	}
	return nil
}
