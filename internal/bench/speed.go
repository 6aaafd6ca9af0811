package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"
)

// A target is a rate that landgo sets out to reach on a row of the anchors.
type target struct {
	row  string
	rate float64 // executions a second on musl -O2; half of it on glibc
}

var targets = []target{
	{"nwriters-N8", 40_000},
	{"micro-N2-K5", 40_000},
	{"fib_bench-N4", 40_000},
	{"mutex_inc-N2-K8", 20_000},
	{"ring-N8", 20_000},
	{"indexer-N15", 5_000},
}

// reached says how a figure stands to its target.
func reached(ok bool) string {
	if ok {
		return "reached"
	}
	return "MISSED"
}

// speed measures the targets, and prints them beside what was reached. It
// returns an error where a count is wrong; a missed target is none.
func speed(runs int, want map[string]uint64) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	fmt.Fprintln(w, "guest\tbuild\texecutions\tseconds\trate\ttarget\t\twith libc's own locks and exits")
	for _, t := range targets {
		for i, build := range []string{"musl-O2", "glibc-O2"} {
			share := 1 / float64(1+i)
			path := "bin/guests/" + build + "/" + t.row
			s, err := median(runs, path)
			if err != nil {
				return err
			}
			if s.Executions != want[t.row] {
				return wrong(path, s, want[t.row])
			}
			own, err := measure("--native-sync", path)
			if err != nil {
				return err
			}
			goal := t.rate * share
			fmt.Fprintf(w, "%s\t%s\t%d\t%.2f\t%.0f/s\t%.0f/s\t%s\t%.0f/s of %d\n", t.row, build,
				s.Executions, s.Seconds, s.rate(), goal, reached(s.rate() >= goal), own.rate(), own.Executions)
			w.Flush()
		}
	}
	for _, f := range []func(int, *tabwriter.Writer) error{transitions, start, memory} {
		if err := f(runs, w); err != nil {
			return err
		}
	}
	return nil
}

// wrong says that a count isn't what it has to be.
func wrong(path string, s sample, want uint64) error {
	return fmt.Errorf("%s: %d executions, want %d (%s %s)", path, s.Executions, want, s.Verdict, s.Reason)
}

// transitions measures what a transition costs without a C library.
func transitions(runs int, w *tabwriter.Writer) error {
	s, err := median(runs, "bin/guests/nolibc/counter")
	if err != nil {
		return err
	}
	rate := float64(s.Transitions) / s.Seconds
	fmt.Fprintf(w, "counter\tno libc\t%d\t%.2f\t%.0f transitions/s\t500000\t%s\t\n", s.Executions, s.Seconds, rate, reached(rate >= 500_000))
	return nil
}

// start measures a small guest from exec to exit.
func start(runs int, w *tabwriter.Writer) error {
	s, err := median(runs, "bin/guests/glibc-O1/lost_update")
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "lost_update, exec to exit\tglibc-O1\t%d\t%.3f\t\t0.100 s\t%s\t\n", s.Executions, s.wall.Seconds(), reached(s.wall < 100*time.Millisecond))
	return nil
}

// memory measures the peak of a long search, on a size that is no row of the
// anchors.
func memory(_ int, w *tabwriter.Writer) error {
	const path, most = "bin/guests/fib_bench-N6", 1_000_000
	flags := strings.Fields("-g -O2 -static -pthread -DN=6 guests/bench/fib_bench.c -o " + path)
	if out, err := exec.Command("musl-gcc", flags...).CombinedOutput(); err != nil {
		return fmt.Errorf("musl-gcc: %w\n%s", err, out)
	}
	s, err := measure("--max-executions", fmt.Sprint(most), path)
	if err != nil {
		return err
	}
	if s.Executions != most {
		return wrong(path, s, most)
	}
	fmt.Fprintf(w, "fib_bench-N6, peak memory\tmusl-O2\t%d\t%.2f\t%d MiB\t256 MiB\t%s\t\n", s.Executions, s.Seconds, s.peak>>10, reached(s.peak < 256<<10))
	return nil
}
