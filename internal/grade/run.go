package grade

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"landgo/internal/confine"
	"landgo/internal/course"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/sources"
	"landgo/internal/wire"
)

// Class is a class that is to be graded.
type Class struct {
	Course      *course.Course
	Submissions []Submission
	Store       *Store
	Engine      wire.Engine
	// Landgo is the path of this program, EnginePath that of the engine: an outcome holds
	// for them alone.
	Landgo, EnginePath string
	Level              confine.Level
	// Jobs is how many builds or searches there are at a time. With a post, Searches of them
	// are searches.
	Jobs, Searches int
	// Pages: the bugs' pages are drawn too.
	Pages bool
	// Post is where the jobs lie for workers of other machines; nil: there are none.
	Post Post
	// Show gets how far the class is, from several goroutines, if it isn't nil.
	Show func(Progress)
}

// Progress is how far a class is.
type Progress struct {
	// Phase is "building" or "checking".
	Phase string
	// Done of All are over; Kept of those were over before.
	Done, All, Kept int
}

// graded is a class with its outcomes, from which the tables are made.
type graded struct {
	class  *Class
	builts []*Built
	// keys are the jobs' by submission and test, "" where there is no program.
	keys [][]string
	desk *shelf
}

// Run grades a class. An error is one of the machine or of usage; a context that is over
// ends it with the context's error, and the next run goes on.
func (c *Class) Run(ctx context.Context) (*Table, error) {
	version, err := VersionOf(c.EnginePath)
	if err != nil {
		return nil, err
	}
	b := &Builder{Course: c.Course, Store: c.Store, Landgo: c.Landgo, Version: version, Level: c.Level}
	if err := b.Prepare(); err != nil {
		return nil, err
	}
	g := &graded{class: c, builts: make([]*Built, len(c.Submissions))}
	if err := c.build(ctx, b, g); err != nil {
		return nil, err
	}
	jobs, err := g.jobs(version)
	if err != nil {
		return nil, err
	}
	g.desk = newShelf(c.Store, jobs)
	if err := c.check(ctx, g); err != nil {
		return nil, err
	}
	t := g.table()
	if c.Pages {
		err = g.draw(ctx, t)
	}
	return t, err
}

// build builds all submissions.
func (c *Class) build(ctx context.Context, b *Builder, g *graded) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var wait sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range c.Jobs {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				built, err := b.Build(ctx, &c.Submissions[i])
				if err != nil {
					cancel(err)
					continue
				}
				g.builts[i] = built
				mu.Lock()
				done++
				c.show(Progress{Phase: "building", Done: done, All: len(c.Submissions)})
				mu.Unlock()
			}
		}()
	}
	for i := range c.Submissions {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wait.Wait()
	return context.Cause(ctx)
}

func (c *Class) show(p Progress) {
	if c.Show != nil {
		c.Show(p)
	}
}

// jobs are those of a class, test by test: the first tests of all come first.
func (g *graded) jobs(version string) (all []*Job, err error) {
	tests := g.class.Course.Tests
	g.keys = make([][]string, len(g.builts))
	for i := range g.builts {
		g.keys[i] = make([]string, len(tests))
	}
	for t := range tests {
		options, err := optionsKey(&tests[t])
		if err != nil {
			return nil, err
		}
		for i, b := range g.builts {
			if sum := b.Guests[tests[t].Guest]; sum != "" {
				key := keyOf(sum, options, version)
				g.keys[i][t] = key
				all = append(all, &Job{Key: key, Guest: sum, Name: tests[t].Guest, Config: tests[t].Config})
			}
		}
	}
	return all, nil
}

// optionsKey names all of a test that its outcome depends on: its options, and the
// content of the files that they name.
func optionsKey(t *course.Test) (string, error) {
	c := t.Config
	var files []string
	for _, f := range append([]config.GuestFile{{Host: c.Stdin}}, c.Files...) {
		if f.Host == "" {
			files = append(files, f.Guest)
			continue
		}
		text, err := result.ReadFile(f.Host, maxTotal)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(text)
		files = append(files, f.Guest, hex.EncodeToString(sum[:]))
	}
	c.Stdin, c.Files = "", nil
	var options []string
	for i := range config.Options {
		options = append(options, config.Options[i].Name)
		options = append(options, config.Options[i].Get(&c)...)
	}
	return keyOf(options, string(c.Kept()), files, t.Guest), nil
}

// check has the jobs done: by workers of this process, or by those of the post.
func (c *Class) check(ctx context.Context, g *graded) error {
	kept, _, left := g.desk.counts()
	desk := showing{g.desk, func() {
		done, out, waiting := g.desk.counts()
		c.show(Progress{Phase: "checking", Done: done, All: done + out + waiting, Kept: kept})
	}}
	w := Workers{Engine: c.Engine, Store: c.Store, Desk: desk, Level: c.Level}
	if c.Post == nil {
		w.Number = min(c.Jobs, left)
		return w.Run(ctx)
	}
	jobs := g.desk.takeAll()
	if len(jobs) == 0 {
		return ctx.Err()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	w.Number, w.Desk = c.Searches, c.Post.Desk(c.Store)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		if err := w.Run(ctx); err != nil {
			cancel(err)
		}
	}()
	err := c.Post.Offer(ctx, c.Store, jobs, desk.Done)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	cancel(err)
	<-ended
	return err
}

// showing is a desk that shows how far it is.
type showing struct {
	Desk
	show func()
}

// Done implements Desk.
func (s showing) Done(j *Job, o *Outcome) error {
	err := s.Desk.Done(j, o)
	s.show()
	return err
}

// source reads lines of a submission's own files, for reports: no other file, and none
// that the course has put over the student's.
func (g *graded) source(i int) func(path string) ([]byte, error) {
	s, b := &g.class.Submissions[i], g.builts[i]
	from := sources.Folders{s.Dir}
	return func(path string) ([]byte, error) {
		rel := path
		if filepath.IsAbs(path) && b.Dir != "" {
			var err error
			if rel, err = filepath.Rel(b.Dir, path); err != nil {
				return nil, err
			}
		}
		if g.class.ofCourse(rel) {
			return nil, errors.New("a file of the course")
		}
		return from.Read(rel)
	}
}

// ofCourse reports whether a path in a built submission is the course's.
func (c *Class) ofCourse(rel string) bool {
	if c.Course.Build == nil {
		return false
	}
	rel = filepath.Clean(rel)
	for _, name := range c.Course.Build.Files {
		if rel == name || strings.HasPrefix(rel, name+"/") || name == "." {
			return true
		}
	}
	return false
}

// own tells which frames are of a student's code.
func (g *graded) own(i int) func(result.Frame) bool {
	b := g.builts[i]
	return func(f result.Frame) bool {
		if f.File == "" || f.Library {
			return false
		}
		rel := f.File
		if filepath.IsAbs(rel) && b.Dir != "" {
			r, err := filepath.Rel(b.Dir, rel)
			if err != nil || !filepath.IsLocal(r) {
				return false
			}
			rel = r
		}
		return !g.class.ofCourse(rel)
	}
}
