package main

import (
	"fmt"
	"os"
	"time"

	"landgo/internal/result"
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

// plain asks for what the anchors count: without it, landgo may choose a search by states.
var plain = []string{"--pp", "mem", "--search", "optimal"}

// reached says how a figure stands to its target.
func reached(ok bool) string {
	if ok {
		return "reached"
	}
	return "MISSED"
}

// speed measures the targets, and prints them beside what was reached. It
// returns an error where a count is wrong; a missed target is none.
func speed(runs int, rows []anchor) error {
	want := map[string]uint64{}
	for _, r := range rows {
		want[r.Name] = r.Executions
	}
	show := func(guest, build string, s sample, figure, goal string, ok bool) {
		fmt.Printf("%-26s %-9s %9d %8.3f s %22s  target %-12s %s\n", guest, build, s.Executions, s.Seconds, figure, goal, reached(ok))
	}
	for _, t := range targets {
		for i, build := range []string{"musl-O2", "glibc-O2"} {
			share := 1 / float64(1+i)
			path := "bin/guests/" + build + "/" + t.row
			s, err := median(runs, append(plain, path)...)
			if err != nil {
				return err
			}
			if s.Executions != want[t.row] {
				return wrong(path, s, want[t.row])
			}
			goal := t.rate * share
			show(t.row, build, s, fmt.Sprintf("%.0f/s", s.rate()), fmt.Sprintf("%.0f/s", goal), s.rate() >= goal)
			// Their inside is searched too then: a part of it gives the rate. The rate isn't for
			// comparing two versions: fewer executions in all are longer ones (ownLocks).
			own, err := measure(append(plain, "--native-sync", "--max-executions", "5000", "--time", "20s", path)...)
			if err != nil {
				return err
			}
			fmt.Printf("%-26s %-9s %9d %8.3f s %20.0f/s  with libc's own locks and exits\n", "", "", own.Executions, own.Seconds, own.rate())
		}
	}
	for _, f := range []func(int, printer) error{ownLocks, transitions, crowds, libraries, kernels, start, memory} {
		if err := f(runs, show); err != nil {
			return err
		}
	}
	return nil
}

// ownLocks measures whole searches of glibc's own locks, joins and exits. How many executions they
// have depends on the library, so there is no count to check.
func ownLocks(runs int, show printer) error {
	for _, row := range []struct{ program, flags, name string }{
		{"nwriters", "-DN=3", "nwriters-N3"},
		{"micro", "-DN=2 -DK=2", "micro-N2-K2"},
		{"fib_bench", "-DN=2", "fib_bench-N2"},
		{"mutex_inc", "-DN=2 -DK=2", "mutex_inc-N2-K2"},
		{"ring", "-DN=2", "ring-N2"},
		{"indexer", "-DN=4", "indexer-N4"},
	} {
		path, err := compileBy("gcc", row.program, row.flags, row.name+"-glibc")
		if err != nil {
			return err
		}
		s, err := median(runs, append(plain, "--native-sync", path)...)
		if err != nil {
			return err
		}
		if s.Verdict != result.Verified {
			return fmt.Errorf("%s: %s %s", path, s.Verdict, s.Reason)
		}
		const most = 5 * time.Second
		show(row.name+", own locks", "glibc-O2", s, fmt.Sprintf("%.2f s of CPU", s.cpu.Seconds()), most.String(), s.cpu < most)
	}
	return nil
}

// A printer prints one line of the speed table.
type printer func(guest, build string, s sample, figure, goal string, ok bool)

// wrong says that a count isn't what it has to be.
func wrong(path string, s sample, want uint64) error {
	return fmt.Errorf("%s: %d executions, want %d (%s %s)", path, s.Executions, want, s.Verdict, s.Reason)
}

// transitions measures what a transition costs without a C library.
func transitions(runs int, show printer) error {
	s, err := median(runs, append(plain, "bin/guests/nolibc/counter")...)
	if err != nil {
		return err
	}
	rate := float64(s.Transitions) / s.Seconds
	show("counter", "no libc", s, fmt.Sprintf("%.0f transitions/s", rate), "500000", rate >= 500_000)
	return nil
}

// crowds measures what a step costs with few threads and with many: of samples, and of a search
// that goes back to each choice. Not in seconds of the clock, because the machine may have other
// work.
func crowds(_ int, show printer) error {
	for _, row := range []struct {
		program, flags, name string
		goal                 float64 // steps a second
	}{
		{"micro", "-DN=2 -DK=100", "micro-N2-K100", 500_000},
		{"micro", "-DN=100 -DK=100", "micro-N100-K100", 300_000},
		{"mutex_inc", "-DN=2 -DK=20", "mutex_inc-N2-K20", 200_000},
		{"mutex_inc", "-DN=100 -DK=20", "mutex_inc-N100-K20", 150_000},
	} {
		path, err := compile(row.program, row.flags, row.name)
		if err != nil {
			return err
		}
		for _, search := range []string{"random", "pos", "optimal"} {
			s, err := measure("--pp", "mem", "--search", search, "--time", "4s", path)
			if err != nil {
				return err
			}
			if s.Verdict != result.Budget {
				return fmt.Errorf("%s: %s %s", path, s.Verdict, s.Reason)
			}
			rate := float64(s.Transitions) / s.cpu.Seconds()
			show(row.name+", "+search, "musl-O2", s, fmt.Sprintf("%.0f steps/s of CPU", rate), fmt.Sprintf("%.0f", row.goal), rate >= row.goal)
		}
	}
	return nil
}

// libraries measures tests of thread libraries as the P2 course has them: the
// library's own code is explored, with the points that Landslide has and with all
// of them. How often a wait looks again depends on the compiler, so there is no
// count to check.
func libraries(runs int, show printer) error {
	const least = 10_000 // executions a second
	for _, row := range []struct{ build, test, points string }{
		{"pebbles-i386", "spin-broadcast", "mem"},
		{"pebbles-i386", "queue-broadcast", "lock,unlock"},
		{"pebbles", "spin-broadcast", "mem"},
	} {
		path := "bin/guests/" + row.build + "/" + row.test
		if _, err := os.Stat(path); err != nil {
			fmt.Printf("%-26s %-9s left out: gcc -m32 doesn't work here\n", row.test, row.build)
			continue
		}
		s, err := median(runs, "--pp", row.points, path)
		if err != nil {
			return err
		}
		if s.Verdict != result.Verified {
			return fmt.Errorf("%s: %s %s", path, s.Verdict, s.Reason)
		}
		show(row.test+", "+row.points, row.build, s, fmt.Sprintf("%.0f/s", s.rate()), fmt.Sprintf("%d/s", least), s.rate() >= least)
	}
	return nil
}

// start measures a small guest from exec to exit.
func start(runs int, show printer) error {
	s, err := median(runs, "bin/guests/glibc-O1/lost_update")
	if err != nil {
		return err
	}
	show("lost_update, exec to exit", "glibc-O1", s, fmt.Sprintf("%.3f s", s.wall.Seconds()), "0.100 s", s.wall < 100*time.Millisecond)
	return nil
}

// memory measures the peak of a long search, on a size that is no row of the
// anchors.
func memory(_ int, show printer) error {
	const most = 1_000_000
	path, err := compile("fib_bench", "-DN=6", "fib_bench-N6")
	if err != nil {
		return err
	}
	s, err := measure("--pp", "mem", "--max-executions", fmt.Sprint(most), path)
	if err != nil {
		return err
	}
	if s.Executions != most {
		return wrong(path, s, most)
	}
	show("fib_bench-N6, peak memory", "musl-O2", s, fmt.Sprintf("%d MiB", s.peak>>10), "256 MiB", s.peak < 256<<10)
	return nil
}
