package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/term"

	"landgo/internal/course"
	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/grade/flags"
	"landgo/internal/process"
	"landgo/internal/queue"
	"landgo/internal/report"
	"landgo/internal/result"
)

func (c *call) grade(ctx context.Context, f *flags.Grade) error {
	class, err := c.class(f)
	if err != nil {
		return err
	}
	if class.Store, err = grade.OpenStore(f.Run); err != nil {
		return err
	}
	defer class.Store.Close()
	if f.Queue.Given() || f.Serve != "" {
		end, err := c.post(ctx, f, class)
		if err != nil {
			return err
		}
		defer end()
	}
	live := grade.NewLive(nil)
	if f, ok := c.stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) && !c.quiet {
		live = grade.NewLive(c.stderr)
	}
	class.Show = live.Show
	table, err := class.Run(ctx)
	live.Close()
	if ctx.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return result.Errorf(result.Interrupted, "interrupted: the same command goes on where this one was")
	}
	if err != nil {
		return err
	}
	return c.show(table, f)
}

// class is the class to be graded, by the command line.
func (c *call) class(f *flags.Grade) (*grade.Class, error) {
	c.quiet = f.Quiet
	class := &grade.Class{Level: f.Level, Jobs: f.Jobs, Searches: f.Jobs, Pages: f.HTML != ""}
	if f.Jobs == 0 { // workers of other machines search, and this one builds
		class.Jobs = runtime.GOMAXPROCS(0)
	}
	var err error
	if class.Course, err = course.Read(f.Course); err != nil {
		return nil, err
	}
	if f.One != "" {
		one, err := grade.One(f.One)
		if err != nil {
			return nil, err
		}
		class.Submissions = []grade.Submission{one}
	} else if class.Submissions, err = grade.Submissions(f.Submissions); err != nil {
		return nil, err
	}
	if class.Landgo, err = os.Executable(); err != nil {
		return nil, err
	}
	e := c.engine()
	class.Engine = e
	class.EnginePath, err = e.Path()
	return class, err
}

// engine is the engine, whose limits hold.
func (c *call) engine() *process.Engine {
	return &process.Engine{Stderr: &oncePerLine{w: c.stderr}, Build: version, KillLate: true, SystemOnly: true}
}

// post has the class's jobs lie at a server, which may be this process.
func (c *call) post(ctx context.Context, f *flags.Grade, class *grade.Class) (end func(), err error) {
	tag, err := grade.VersionOf(class.EnginePath)
	if err != nil {
		return nil, err
	}
	o := queue.Options{Queue: f.Queue, Version: tag, Say: c.say}
	var server *queue.Server
	if f.Serve != "" {
		if server, err = queue.Serve(f.Serve, filepath.Join(f.Run, "nats"), &o.Queue); err != nil {
			return nil, err
		}
		o.Server = server
		c.say(fmt.Sprintf("serving: landgo worker --nats %s --token-file %s", server.URL(), o.Queue.Token))
	}
	q, err := queue.Open(ctx, o)
	if err != nil {
		server.Close()
		return nil, err
	}
	class.Post = q
	return func() {
		q.Close()
		server.Close()
	}, nil
}

// say tells the user something that isn't a result.
func (c *call) say(line string) {
	if !c.quiet {
		fmt.Fprintf(c.stderr, "landgo: %s\n", result.Printable(line))
	}
}

// show writes what was asked for.
func (c *call) show(t *grade.Table, f *flags.Grade) error {
	if f.CSV != "" {
		if err := grade.WriteFile(f.CSV, t.CSV); err != nil {
			return err
		}
	}
	if f.HTML != "" {
		if err := t.HTML(filepath.Clean(f.HTML)); err != nil {
			return err
		}
	}
	if t.Undecided > 0 {
		c.status = result.ExitInvalid
	}
	var text bytes.Buffer
	switch {
	case f.Format == config.JSONFormat:
		report.JSON(&text, t)
	case f.Format != config.TextFormat:
		if err := t.Format(&text, f.Format, time.Now()); err != nil {
			return err
		}
	case f.One != "":
		t.One(&text)
	default:
		t.Text(&text)
	}
	return c.print(text.Bytes())
}
