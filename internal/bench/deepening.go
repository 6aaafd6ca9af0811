package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// The cost of a job of an iterative deepening beside its executions: its start,
// and the saved state of a suspended one. Both are measured within landgo, by
// benchmarks of package explore.

var jobFigures = []struct {
	what, benchmark, times, unit string
	shown, target                string
	// scale makes what is shown of the benchmark's number, which is to be less
	// than most.
	scale, most float64
}{
	{"a job's start, of the processor's time", "BenchmarkJobStart", "300x", "cpu-ms/job", "%.3f ms", "1 ms", 1, 1},
	{"a thousand jobs that were left", "BenchmarkSuspended", "5x", "KiB/job", "%.1f MiB", "1024 MiB", 1000.0 / 1024, 1024},
}

// deepening prints these figures.
func deepening() error {
	for _, f := range jobFigures {
		out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^"+f.benchmark+"$", "-benchtime", f.times, "./internal/explore").CombinedOutput()
		if err != nil {
			return fmt.Errorf("go test -bench in internal/explore: %w\n%s", err, out)
		}
		m := regexp.MustCompile(`\s([0-9.e+-]+) ` + f.unit).FindSubmatch(out)
		if m == nil {
			return fmt.Errorf("%s: no figure in\n%s", f.what, out)
		}
		n, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return err
		}
		n *= f.scale
		goal(f.what, fmt.Sprintf(f.shown, n), f.target, n < f.most)
	}
	return nil
}
