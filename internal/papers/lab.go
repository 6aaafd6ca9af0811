package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"

	"landgo/internal/cores"
	"landgo/internal/result"
)

// A lab runs landgo and keeps what it found, and the page's tables.
type lab struct {
	done     map[run]outcome
	filled   map[string]string
	took     map[string]float64 // seconds of the processor, by experiment
	order    []string
	failures []string // figures that had to be met and weren't
	cores    chan int
}

func newLab() *lab {
	l := &lab{done: map[run]outcome{}, filled: map[string]string{}, took: map[string]float64{}, cores: make(chan int, len(cores.Allowed()))}
	for _, c := range cores.Allowed() {
		l.cores <- c
	}
	return l
}

// A run is one search of one guest. Equal runs are made once.
type run struct {
	guest      string // below bin/guests
	search     string
	bound      string // "" for none
	from       int    // the value of the first bound to begin with
	pp         string // "" for landgo's default
	allShared  bool   // every access is one to shared memory, from the start
	executions uint64 // the limits; 0 for none
	seconds    float64
	pass       int // which of several equal runs
}

func (r run) args() []string {
	args := []string{"run", "--json", "--quiet", "--out", "none", "--jobs", "1", "--model", "sc", "--processor-time", "--search", r.search}
	if r.bound != "" {
		args = append(args, "--bound", r.bound)
	}
	if r.from > 0 {
		args = append(args, "--bound-from", fmt.Sprint(r.from))
	}
	if r.pp == "" && r.executions > 0 {
		r.pp = "mem" // one search's executions
	}
	if r.pp != "" {
		args = append(args, "--pp", r.pp)
	}
	if r.allShared {
		args = append(args, "--all-shared")
	}
	if r.executions > 0 {
		args = append(args, "--max-executions", fmt.Sprint(r.executions))
	}
	if r.seconds > 0 {
		args = append(args, "--time", fmt.Sprintf("%.0fms", r.seconds*1000))
	}
	return append(args, "bin/guests/"+r.guest)
}

// An outcome is landgo's result of a run.
type outcome struct {
	*result.Result
}

// ended reports whether the search ended, or found its first bug.
func (o outcome) ended() bool {
	return o.Verdict != result.Budget && o.Verdict != refused || o.Problem == result.ProvesNothing
}

// late reports whether the limit on time cut it, so that its counts are chance.
func (o outcome) late() bool { return o.Problem == result.OutOfTime }

// counted is a count of an outcome, as a cell: "> 12" if it was cut there.
func (o outcome) counted(n uint64) string {
	switch {
	case o.Verdict == refused:
		return string(refused)
	case o.late():
		return "time"
	case o.Problem == result.OutOfExecutions:
		return "> " + thousands(n)
	}
	return thousands(n)
}

// refused is the verdict of a run that landgo wouldn't make, or calls invalid.
const refused result.Verdict = "refused"

// run makes the runs, as many at a time as there are cores, one on each. One that
// is refused is a figure that isn't met: the experiments ask for nothing of the
// kind, but the rest of them is worth having.
func (l *lab) run(runs ...run) []outcome {
	var wait sync.WaitGroup
	var mu sync.Mutex
	started := map[run]bool{}
	for r := range l.done {
		started[r] = true
	}
	for _, r := range runs {
		if started[r] {
			continue
		}
		started[r] = true
		core := <-l.cores
		wait.Add(1)
		go func() {
			defer wait.Done()
			o, err := measure(core, r.args())
			l.cores <- core
			mu.Lock()
			defer mu.Unlock()
			l.want(err == nil, "%v", err)
			l.done[r] = o
		}()
	}
	wait.Wait()
	var all []outcome
	for _, r := range runs {
		all = append(all, l.done[r])
	}
	return all
}

func measure(core int, args []string) (outcome, error) {
	no := outcome{&result.Result{Verdict: refused}}
	cmd := exec.Command("taskset", append([]string{"-c", fmt.Sprint(core), "bin/landgo"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return no, err
	}
	var r result.Result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return no, fmt.Errorf("landgo %s: exit %d: %s", strings.Join(args, " "), cmd.ProcessState.ExitCode(), strings.TrimSpace(errs.String()))
	}
	if r.Verdict == result.Invalid {
		return no, fmt.Errorf("landgo %s: invalid: %s", strings.Join(args, " "), r.Reason)
	}
	return outcome{&r}, nil
}

// fill gives the page a table, or a figure, by its name there.
func (l *lab) fill(name, text string) {
	if _, ok := l.filled[name]; !ok {
		l.order = append(l.order, name)
	}
	l.filled[name] = text
}

// want notes a figure that has to be met.
func (l *lab) want(ok bool, format string, a ...any) {
	if !ok {
		l.failures = append(l.failures, fmt.Sprintf(format, a...))
	}
}

// bench is the build that the experiments use.
func bench(guest string) string { return "musl-O2/" + guest }
