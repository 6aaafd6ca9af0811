package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sort"
	"strings"
	"syscall"
	"time"

	"landgo/internal/cores"
	"landgo/internal/result"
)

// A sample is one run of landgo.
type sample struct {
	*result.Result
	wall time.Duration // from exec to exit
	cpu  time.Duration // of all its threads
	peak int64         // KiB
}

// measure runs landgo once, on one core: all that it does on others (the
// collector's work) would be time of that core on a busy machine.
func measure(args ...string) (sample, error) { return measureOn(fmt.Sprint(core), args...) }

// measureOn runs landgo once on some of the cores, "" for all.
func measureOn(cores string, args ...string) (sample, error) {
	line := append([]string{"-c", cores, "bin/landgo", "run", "--json", "--quiet", "--out", "none", "--model", "sc"}, args...)
	cmd := exec.Command("taskset", line...)
	if cores == "" {
		cmd = exec.Command(line[2], line[3:]...)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err := cmd.Run()
	s := sample{wall: time.Since(begin)}
	if cmd.ProcessState == nil {
		return s, err
	}
	var r result.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return s, fmt.Errorf("%s: exit %d: %s", strings.Join(line[2:], " "), cmd.ProcessState.ExitCode(), errs.String())
	}
	s.Result = &r
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.peak = cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	return s, nil
}

// core is the last one that may be used: the first is where a machine's interrupts go.
var core = func() int {
	all := cores.Allowed()
	return all[len(all)-1]
}()

// median measures several times and returns the sample whose search took the
// median time. All have to agree on everything but time.
func median(runs int, args ...string) (sample, error) {
	var all []sample
	for range runs {
		s, err := measure(args...)
		if err != nil {
			return s, err
		}
		if len(all) > 0 && (s.Executions != all[0].Executions || s.Verdict != all[0].Verdict || s.Transitions != all[0].Transitions) {
			return s, fmt.Errorf("%s: two runs differ: %s, %d executions and %s, %d executions",
				strings.Join(args, " "), s.Verdict, s.Executions, all[0].Verdict, all[0].Executions)
		}
		all = append(all, s)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Seconds < all[j].Seconds })
	return all[len(all)/2], nil
}

// middle is the median of some figures, which it sorts.
func middle(all []float64) float64 {
	sort.Float64s(all)
	return all[len(all)/2]
}

// rate is executions per second of search.
func (s sample) rate() float64 { return float64(s.Executions) / max(s.Seconds, 1e-9) }

// compile builds a program of guests/bench in a size that is no row of the
// anchors, and returns where it is.
func compile(program, flags, name string) (path string, err error) {
	return compileBy("musl-gcc", program, flags, name)
}

// compileBy does so by a compiler that is named.
func compileBy(compiler, program, flags, name string) (path string, err error) {
	path = "bin/guests/" + name
	args := strings.Fields("-g -O2 -static -pthread " + flags + " guests/bench/" + program + ".c -o " + path)
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", compiler, err, out)
	}
	return path, nil
}

// machine describes where the figures come from.
func machine(engine string) string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for _, line := range strings.Split(string(b), "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	version := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			return name + " unknown"
		}
		return strings.TrimSpace(strings.SplitN(string(out), "\n", 2)[0])
	}
	return fmt.Sprintf("%s, %d cores, one used; %s; gcc %s; %s", model, len(cores.Allowed()), engine,
		version("gcc", "-dumpfullversion"), strings.TrimPrefix(version("go", "version"), "go version "))
}
