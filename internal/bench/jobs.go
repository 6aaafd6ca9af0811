package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"landgo/por"
)

// A split is a search that is measured with one worker and with two, on a
// program of guests/bench that takes one about ten seconds.
type split struct {
	searcher
	program, flags string  // gcc's
	goal           float64 // how many times the rate of one, 0: measured only
}

var splits = []split{
	{searcher{"none", ""}, "micro", "-DN=2 -DK=5", 1.8},
	{searcher{"bounded", "preempt=10"}, "micro", "-DN=2 -DK=5", 1.8},
	{searcher{"trust", ""}, "nwriters", "-DN=9", 1.8},
	{searcher{"sleep", ""}, "nwriters", "-DN=9", 0},
	{searcher{"optimal", ""}, "nwriters", "-DN=9", 0},
	{searcher{"optimal", ""}, "fib_bench", "-DN=5", 0},
	{searcher{"source", ""}, "nwriters", "-DN=9", 0},
	{searcher{"dpor", ""}, "nwriters", "-DN=9", 0},
	{searcher{"pct:runs=500000", ""}, "fib_bench", "-DN=5", 0},
}

// jobs shows how much faster two workers are than one. The machine has to be
// idle. It returns an error where anything that is reported but time differs.
func jobs(runs int) error {
	if err := ceiling(runs); err != nil {
		return err
	}
	for _, s := range splits {
		args := []string{"--pp", "mem", "--search", s.search}
		if s.bound != "" {
			args = append(args, "--bound", s.bound)
		}
		path, err := compile(s.program, s.flags, s.program+"-jobs")
		if err != nil {
			return err
		}
		args = append(args, path)
		what := s.String() + " on " + s.program + " " + s.flags
		spec, err := por.ParseSpec(s.search)
		if err != nil {
			return err
		}
		if why := spec.Whole(); why != "" {
			fmt.Printf("%-44s one worker: %s\n", what, why)
			continue
		}
		var seconds [3][]float64
		var processor [3]float64
		var by []float64 // one of each after the other: a machine isn't as fast all the time
		var report [3]string
		for r := range runs {
			for n := 1; n <= 2; n++ {
				x, err := measureOn("", append([]string{"--jobs", fmt.Sprint(n)}, args...)...)
				if err != nil {
					return err
				}
				seconds[n] = append(seconds[n], x.SearchSeconds)
				processor[n] += x.cpu.Seconds() / float64(runs)
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
			by = append(by, seconds[1][r]/max(seconds[2][r], 1e-9))
		}
		if report[1] != report[2] {
			return fmt.Errorf("%s: one worker and two differ:\n%s\n%s", what, report[1], report[2])
		}
		times := middle(by)
		figure := fmt.Sprintf("%.2f s, with two workers %.2f s (of processor %.2f, %.2f): %.2f times as fast", middle(seconds[1]), middle(seconds[2]), processor[1], processor[2], times)
		if s.goal == 0 {
			fmt.Printf("%-44s %76s\n", what, figure)
			continue
		}
		goal(what, figure, fmt.Sprint(s.goal), times >= s.goal)
	}
	return nil
}

// ceiling compares two runs with one worker each, at the same time and one
// after the other. That is the most that two processors of this machine give:
// they may share a core or its caches.
func ceiling(runs int) error {
	s := splits[0]
	path, err := compile(s.program, s.flags, s.program+"-jobs")
	if err != nil {
		return err
	}
	args := []string{"--jobs", "1", "--pp", "mem", "--search", s.search, path}
	var alone, together []float64
	for range runs {
		x, err := measureOn("", args...)
		if err != nil {
			return err
		}
		alone = append(alone, x.SearchSeconds)
		var both [2]sample
		var errs [2]error
		var wait sync.WaitGroup
		for i := range both {
			wait.Add(1)
			go func() {
				defer wait.Done()
				both[i], errs[i] = measureOn("", args...)
			}()
		}
		wait.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			return err
		}
		together = append(together, (both[0].SearchSeconds+both[1].SearchSeconds)/2)
	}
	one, two := middle(alone), middle(together)
	fmt.Printf("%-44s %76s\n", "two separate runs of "+s.String()+" at a time",
		fmt.Sprintf("%.2f s alone, %.2f s each of two: %.2f times as much done", one, two, 2*one/max(two, 1e-9)))
	return nil
}

// timeless is all that a run reports, without its times.
func (s sample) timeless() (string, error) {
	r := *s.Result
	r.Seconds, r.SearchSeconds, r.Estimate.SecondsLeft = 0, 0, 0
	text, err := json.Marshal(&r)
	return string(text), err
}
