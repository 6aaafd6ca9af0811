package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"landgo/internal/confine"
	"landgo/internal/course"
	"landgo/internal/grade"
	"landgo/internal/process"
	"landgo/internal/report"
	"landgo/internal/result"
)

// gradeFlags are those of landgo grade.
type gradeFlags struct {
	one, run, csv, html, confine string
	jobs                         int
	json, quiet                  bool
}

func (a *app) gradeCommand() *cobra.Command {
	var f gradeFlags
	cmd := &cobra.Command{
		Use:   "grade [flags] COURSE.yaml SUBMISSIONS\n  landgo grade --one SUBMISSION [flags] COURSE.yaml",
		Short: "check a class: each submission with each test of a course",
		Long: `grade builds each submission and checks it with each test of the course's file.
SUBMISSIONS has a folder for each student. It prints a matrix of students and
tests, and the mistakes that were made, the most frequent first.

What is done is kept in the run's folder (--run): the same command goes on after
an interrupt or a crash, and a program that was checked isn't checked again.
Builds and searches are confined; where the kernel or the container hasn't got
what that takes, grade refuses to run unless --confine best allows it.

With --one it grades one submission and prints what the student may see.

The exit status is 0 when all is decided, 4 when a person has to decide about a
result, 3 after an interrupt. Bugs in submissions don't change it.
docs/grading.md has all of the course's file.`,
		Example: `  landgo grade course.yaml submissions
  landgo grade --html report --csv points.csv course.yaml submissions
  landgo grade --one submission course.yaml`,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, args []string) error { return a.grade(cmd.Context(), &f, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.one, "one", "", "grade this one submission")
	flags.StringVar(&f.run, "run", "landgo-grade", "the folder where what is done is kept")
	flags.IntVar(&f.jobs, "jobs", runtime.GOMAXPROCS(0), "how many builds or searches run at a time")
	flags.StringVar(&f.confine, "confine", string(confine.Require), "confine builds and engines: require, best, off")
	flags.StringVar(&f.csv, "csv", "", "write the matrix to this file, for a spreadsheet")
	flags.StringVar(&f.html, "html", "", "write pages into this folder: index.html, and what students may see beneath students/")
	flags.BoolVar(&f.json, "json", false, "print the tables as one JSON object")
	flags.BoolVar(&f.quiet, "quiet", false, "show no progress")
	return cmd
}

func (a *app) grade(ctx context.Context, f *gradeFlags, args []string) error {
	class, err := a.class(f, args)
	if err != nil {
		return err
	}
	if class.Store, err = grade.OpenStore(f.run); err != nil {
		return err
	}
	defer class.Store.Close()
	live := grade.NewLive(nil)
	if _, terminal := terminalWidth(a.stderr); terminal && !f.quiet {
		live = grade.NewLive(a.stderr)
	}
	class.Show = live.Show
	table, err := class.Run(ctx)
	live.Close()
	a.mayTell()
	if errors.Is(err, context.Canceled) {
		return result.Errorf(result.Interrupted, "interrupted: the same command goes on where this one was")
	}
	if err != nil {
		return err
	}
	return a.showTable(table, f)
}

// class is what is to be graded, by the command line.
func (a *app) class(f *gradeFlags, args []string) (*grade.Class, error) {
	level, err := confine.ParseLevel(f.confine)
	if err != nil {
		return nil, result.Errorf(result.Usage, "--confine: %w", err)
	}
	want := 2
	if f.one != "" {
		want = 1
	}
	switch {
	case len(args) < want && want == 1:
		return nil, result.Errorf(result.Usage, "want the course's file")
	case len(args) != want:
		return nil, result.Errorf(result.Usage, "want the course's file and the folder of submissions, got %s", counted(len(args), "argument"))
	case f.jobs < 1:
		return nil, result.Errorf(result.Usage, "--jobs: want 1 or more, got %d", f.jobs)
	}
	c := &grade.Class{Engine: a.engine, Level: level, Jobs: f.jobs}
	if c.Course, err = course.Read(args[0]); err != nil {
		return nil, err
	}
	if f.one != "" {
		one, err := grade.One(f.one)
		if err != nil {
			return nil, err
		}
		c.Submissions = []grade.Submission{one}
	} else if c.Submissions, err = grade.Submissions(args[1]); err != nil {
		return nil, err
	}
	if c.Landgo, err = os.Executable(); err != nil {
		return nil, err
	}
	if e, ok := a.engine.(*process.Engine); ok {
		if c.EnginePath, err = e.Path(); err != nil {
			return nil, err
		}
		own := *e
		own.KillLate, own.Stderr = true, &oncePerLine{w: a.stderr}
		c.Engine = &own
	}
	return c, nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// showTable writes what was asked for.
func (a *app) showTable(t *grade.Table, f *gradeFlags) error {
	if f.csv != "" {
		if err := grade.WriteFile(f.csv, t.CSV); err != nil {
			return err
		}
	}
	if f.html != "" {
		if err := t.HTML(filepath.Clean(f.html)); err != nil {
			return err
		}
	}
	if t.Undecided > 0 {
		a.status = result.ExitInvalid
	}
	return a.print(func(w io.Writer) {
		switch {
		case f.json:
			report.JSON(w, t)
		case f.one != "":
			t.One(w)
		default:
			t.Text(w)
		}
	})
}

// oncePerLine writes each line once: what is missing for one engine is for all.
type oncePerLine struct {
	w    io.Writer
	mu   sync.Mutex
	seen map[string]bool
}

func (o *oncePerLine) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := strings.TrimSpace(string(p))
	if o.seen[line] {
		return len(p), nil
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[line] = true
	return o.w.Write(p)
}
