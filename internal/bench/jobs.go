package main

import (
	"encoding/json"
	"fmt"
	"sort"

	"landgo/por"
)

// A split is a search that is measured with one worker and with two.
type split struct {
	searcher
	guest string
	goal  float64 // how many times the rate of one, 0: measured only
}

var splits = []split{
	{searcher{"none", ""}, "micro-N2-K5", 1.8},
	{searcher{"bounded", "preempt=8"}, "micro-N2-K5", 1.8},
	{searcher{"trust", ""}, "fib_bench-N5", 1.8},
	{searcher{"sleep", ""}, "fib_bench-N5", 0},
	{searcher{"optimal", ""}, "fib_bench-N5", 0},
	{searcher{"source", ""}, "fib_bench-N5", 0},
	{searcher{"dpor", ""}, "fib_bench-N5", 0},
	{searcher{"pct:runs=100000", ""}, "fib_bench-N5", 0},
}

// jobs shows how much faster two workers are than one. The machine has to be
// idle. It returns an error where anything that is reported but time differs.
func jobs(runs int) error {
	for _, s := range splits {
		args := []string{"--pp", "mem", "--search", s.search}
		if s.bound != "" {
			args = append(args, "--bound", s.bound)
		}
		args = append(args, "bin/guests/musl-O2/"+s.guest)
		what := s.String() + " on " + s.guest
		spec, err := por.ParseSpec(s.search)
		if err != nil {
			return err
		}
		if why := spec.Whole(); why != "" {
			fmt.Printf("%-36s one worker: %s\n", what, why)
			continue
		}
		var seconds [3]float64
		var report [3]string
		for n := 1; n <= 2; n++ {
			var all []float64
			for range runs {
				x, err := measureOn("", append([]string{"--jobs", fmt.Sprint(n)}, args...)...)
				if err != nil {
					return err
				}
				all = append(all, x.SearchSeconds)
				text, err := x.timeless()
				if err != nil {
					return err
				}
				if report[n] == "" {
					report[n] = text
				}
				if report[n] != text {
					return fmt.Errorf("%s: two runs with %d workers differ:\n%s\n%s", what, n, report[n], text)
				}
			}
			sort.Float64s(all)
			seconds[n] = all[len(all)/2]
		}
		if report[1] != report[2] {
			return fmt.Errorf("%s: one worker and two differ:\n%s\n%s", what, report[1], report[2])
		}
		by := seconds[1] / max(seconds[2], 1e-9)
		figure := fmt.Sprintf("%.2f s, with two workers %.2f s: %.2f times as fast", seconds[1], seconds[2], by)
		if s.goal == 0 {
			fmt.Printf("%-36s %55s\n", what, figure)
			continue
		}
		goal(what, figure, fmt.Sprint(s.goal), by >= s.goal)
	}
	return nil
}

// timeless is all that a run reports, without its times.
func (s sample) timeless() (string, error) {
	r := *s.Result
	r.Seconds, r.SearchSeconds, r.Estimate.SecondsLeft = 0, 0, 0
	text, err := json.Marshal(&r)
	return string(text), err
}
