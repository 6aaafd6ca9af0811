package main

import (
	"embed"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// An experiment fills in some of the page's tables.
type experiment struct {
	name string
	run  func(*lab) error
}

var experiments = []experiment{
	{"paths", paths}, {"thesis", thesis}, {"rcu", rcu}, {"coverage", coverage}, {"attwo", atTwo}, {"papersbugs", papersBugs}, {"firstbug", firstBug},
	{"speedup", speedup}, {"rounds", rounds}, {"preemptions", preemptions}, {"estimator", estimator},
}

// pages are the templates: papers.md is the summary.
//
//go:embed pages/*.md
var pages embed.FS

func main() {
	os.Exit(papers())
}

func papers() int {
	only := flag.String("only", "", "run these experiments only (names with commas between), and print their tables")
	write := flag.Bool("pages", false, "run nothing, and write the pages from what was kept")
	docs := flag.String("docs", "docs", "the folder to write papers.md to")
	tables := flag.String("tables", "internal/papers/tables", "the folder to write the pages with all tables to")
	keep := flag.String("keep", "bin/papers.json", "the file that keeps tables between runs")
	flag.Parse()
	l := newLab()
	chosen, err := choose(*only, *write)
	if err != nil {
		return fail(err)
	}
	all := len(chosen) == len(experiments)
	if !all {
		if err := l.recall(*keep); err != nil {
			return fail(err)
		}
	}
	for _, e := range chosen {
		begin, before := time.Now(), processorTime()
		if err := e.run(l); err != nil {
			return fail(fmt.Errorf("%s: %w", e.name, err))
		}
		l.took[e.name] = (processorTime() - before).Seconds()
		fmt.Fprintf(os.Stderr, "%-12s %4.0f s, %.0f s of the processor\n", e.name, time.Since(begin).Seconds(), l.took[e.name])
		if err := l.remember(*keep); err != nil {
			return fail(err)
		}
	}
	if !all && !*write {
		for _, name := range l.order {
			fmt.Printf("%s\n\n%s\n", name, l.filled[name])
		}
	} else if err := l.publish(*docs, *tables, all); err != nil {
		return fail(err)
	}
	return l.judge()
}

// choose returns the experiments to run.
func choose(only string, none bool) (chosen []experiment, err error) {
	if none {
		return nil, nil
	}
	if only == "" {
		return experiments, nil
	}
	for _, name := range strings.Split(only, ",") {
		i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no experiment %q", name)
		}
		chosen = append(chosen, experiments[i])
	}
	return chosen, nil
}

// judge says which figures aren't met, and returns the status to exit with.
func (l *lab) judge() int {
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

func fail(err error) int {
	fmt.Fprintf(os.Stderr, "papers: %v\n", err)
	return 1
}
