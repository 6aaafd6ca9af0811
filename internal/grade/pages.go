package grade

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/page"
	"landgo/internal/result"
)

// A bug has a page, with a lane for each thread. It is drawn from the bug's file, which an
// engine runs again, and kept in the run's folder. It quotes the lines that a report does.

// replayTime is more than it takes to run one interleaving.
const replayTime = 10 * time.Minute

// draw draws the pages of a table's bugs. A bug that doesn't come back has none.
func (g *graded) draw(ctx context.Context, t *Table) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type place struct{ student, test int }
	next := make(chan place)
	var wait sync.WaitGroup
	for range g.class.Jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for p := range next {
				path, err := g.drawn(ctx, p.student, p.test)
				if err != nil {
					cancel(err)
				}
				t.Students[p.student].Cells[p.test].page = path
			}
		}()
	}
	for i := range t.Students {
		for j, c := range t.Students[i].Cells {
			if c.Replay == "" {
				continue
			}
			select {
			case next <- place{i, j}:
			case <-ctx.Done():
			}
		}
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

// drawn is the path of a bug's page, "" if there is none.
func (g *graded) drawn(ctx context.Context, student, test int) (string, error) {
	key, b := g.keys[student][test], g.builts[student]
	store := g.class.Store
	path := store.path("pages", keyOf(key, b.Digest)+".html")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	r, err := g.again(ctx, key, g.class.Course.Tests[test].Guest)
	if r == nil || r.Bug == nil || err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := page.Write(&text, r, g.source(student)); err != nil {
		return "", err
	}
	clean := text.String()
	if b.Dir != "" {
		clean = strings.ReplaceAll(strings.ReplaceAll(clean, b.Dir+"/", ""), b.Dir, ".")
	}
	return path, store.write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, clean)
		return err
	})
}

// again runs a job's bug again; nil: it can't be.
func (g *graded) again(ctx context.Context, key, guest string) (*result.Result, error) {
	file, err := result.ReadBugFile(g.class.Store.path("bugs", key+".landgo"))
	if err != nil {
		return nil, nil
	}
	c, err := config.ConfigOf(file)
	if err != nil {
		return nil, nil
	}
	c.GuestNamed, c.Confine, c.Out, c.Time = true, g.class.Level, config.NoFile, replayTime
	for range Tries {
		r, err := g.class.Engine.Replay(ctx, c, file, &observer{})
		switch kind := result.KindOf(err); {
		case ctx.Err() != nil || kind == result.Unconfined || kind == result.BadEngine:
			return nil, err
		case err == nil:
			r.Finish()
			if r.Bug != nil {
				r.Bug.Replay = ""
			}
			r.Guest.Path = guest
			return r, nil
		case kind != result.Fault:
			return nil, nil
		}
	}
	return nil, nil
}

// bugPage is the name of the page of a student's bug, "" if there is none.
func (c *Cell) bugPage(student string, test int) string {
	if c.page == "" {
		return ""
	}
	return fmt.Sprintf("bugs/%s-%d.html", strings.TrimSuffix(pageName(student), ".html"), test+1)
}

// copyPages copies the pages of a student's bugs into a folder of the class's pages.
func copyPages(dir, student string, cells []Cell) error {
	for i := range cells {
		name := cells[i].bugPage(student, i)
		if name == "" {
			continue
		}
		text, err := os.ReadFile(cells[i].page)
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, "bugs"), 0o755)
		}
		if err == nil {
			err = WriteFile(filepath.Join(dir, name), func(w io.Writer) error { _, err := w.Write(text); return err })
		}
		if err != nil {
			return result.Errorf(result.Unwritable, "%s: %w", name, err)
		}
	}
	return nil
}
