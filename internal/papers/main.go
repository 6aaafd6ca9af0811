// Command papers runs the experiments of the papers whose searches landgo has,
// on guests/papers and the other guests. It writes docs/papers.md, a summary, and
// bin/papers.md with all tables: the paper's figure, landgo's, and why they differ
// where they do. It fails if a figure that has to be met isn't. Run it from the top
// of a built tree, or with `make papers`.
//
// The pages' texts are the templates page.md and tables.md; each experiment here
// fills in tables by name. All that it prints except times is the same on each run,
// because a search is cut by its executions first. The limit on time only stops a
// search that makes none.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"strings"
	"syscall"
	"text/template"
	"time"
)

// An experiment fills in some of the page's tables.
type experiment struct {
	name string
	run  func(*lab) error
}

var experiments = []experiment{
	{"paths", paths}, {"thesis", thesis}, {"coverage", coverage}, {"attwo", atTwo}, {"papersbugs", papersBugs}, {"firstbug", firstBug},
	{"speedup", speedup}, {"rounds", rounds}, {"preemptions", preemptions}, {"estimator", estimator},
}

// page is the summary, tables has everything.
//
//go:embed page.md
var page string

//go:embed tables.md
var tables string

func main() {
	os.Exit(papers())
}

func papers() int {
	only := flag.String("only", "", "run this experiment only, and print its tables")
	out := flag.String("out", "docs/papers.md", "the summary page to write")
	full := flag.String("tables", "bin/papers.md", "the page of all tables to write")
	flag.Parse()
	l := newLab()
	begin := time.Now()
	found := false
	for _, e := range experiments {
		if *only != "" && e.name != *only {
			continue
		}
		found = true
		if err := e.run(l); err != nil {
			return fail(fmt.Errorf("%s: %w", e.name, err))
		}
		fmt.Fprintf(os.Stderr, "%-12s %4.0f s\n", e.name, time.Since(begin).Seconds())
	}
	switch {
	case !found:
		return fail(fmt.Errorf("no experiment %q", *only))
	case *only != "":
		for _, name := range l.order {
			fmt.Printf("%s\n\n%s\n", name, l.filled[name])
		}
	default:
		l.fill("took", fmt.Sprintf("%.0f", processorTime().Minutes()))
		for path, text := range map[string]string{*out: page, *full: tables} {
			if err := write(path, text, l.filled); err != nil {
				return fail(err)
			}
		}
	}
	for i, f := range l.failures {
		if i == 30 {
			fmt.Fprintf(os.Stderr, "papers: and %d more\n", len(l.failures)-i)
			break
		}
		fmt.Fprintf(os.Stderr, "papers: %s\n", f)
	}
	if len(l.failures) > 0 {
		return 1
	}
	return 0
}

// processorTime is the processor time of the runs.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		panic(err) // it has no error for this argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// write fills in a page. A table that no experiment made is an error.
func write(path, page string, filled map[string]string) error {
	t, err := template.New(path).Option("missingkey=error").Parse(page)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, filled); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func fail(err error) int {
	fmt.Fprintf(os.Stderr, "papers: %v\n", err)
	return 1
}
