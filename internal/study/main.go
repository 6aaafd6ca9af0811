package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A lab has the folders, the budget, and what went wrong.
type lab struct {
	landgo, landgoHash string
	scratch            string
	budget             float64
	stale              bool
	cached             bool
	jobs               int
	clock              bool
	contestants        []contestant

	mu       sync.Mutex
	codes    map[string]string
	failures []string
}

func main() {
	os.Exit(study())
}

func study() int {
	l := &lab{codes: map[string]string{}}
	out := flag.String("out", "docs/quicksand.md", "the summary page to write")
	full := flag.String("tables", "bin/quicksand.md", "the page of all tables to write")
	without := flag.String("without", "", "leave out contestants whose name begins with this; writes no page")
	only := flag.String("only", "", "pairs whose name contains this; prints and writes no page")
	flag.StringVar(&l.landgo, "landgo", "bin/landgo", "the program")
	flag.StringVar(&l.scratch, "scratch", "bin/study", "where mutants and results are kept")
	flag.Float64Var(&l.budget, "budget", 0.4, "seconds of the processor for each contestant and pair")
	flag.BoolVar(&l.stale, "stale", false, "take the results of other builds of landgo too")
	flag.BoolVar(&l.cached, "cached", false, "run nothing: write the page of the results so far, without pairs that aren't done")
	flag.BoolVar(&l.clock, "clock", true, "measure several workers by the clock too, which takes an idle machine")
	flag.IntVar(&l.jobs, "jobs", 1, "pairs at a time")
	flag.Parse()
	for _, c := range contestants {
		if *without == "" || !strings.HasPrefix(c.name, *without) {
			l.contestants = append(l.contestants, c)
		}
	}
	begin := time.Now()
	subjects, err := l.study(*only)
	if err != nil {
		fmt.Fprintf(os.Stderr, "study: %v\n", err)
		return 1
	}
	for _, s := range subjects {
		if *only != "" || *without != "" {
			fmt.Print(s.line())
		}
	}
	if *only == "" && *without == "" {
		if err := l.write(*out, *full, subjects); err != nil {
			fmt.Fprintf(os.Stderr, "study: %v\n", err)
			return 1
		}
	}
	fmt.Fprintf(os.Stderr, "%.0f s\n", time.Since(begin).Seconds())
	for _, f := range l.failures {
		fmt.Fprintf(os.Stderr, "study: %s\n", f)
	}
	if len(l.failures) > 0 {
		return 1
	}
	return 0
}

// study makes the pairs and runs all contestants.
func (l *lab) study(only string) ([]*subject, error) {
	hash, err := digest(l.landgo)
	if err != nil {
		return nil, fmt.Errorf("%w: make build first", err)
	}
	l.landgoHash = hash
	if l.scratch, err = filepath.Abs(l.scratch); err != nil {
		return nil, err
	}
	all, err := pairs()
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, p := range all {
		if !strings.Contains(p.name(), only) {
			continue
		}
		s, err := l.prepare(p)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	if err := l.each(subjects, l.classify); err != nil {
		return nil, err
	}
	// Bugs first: they are found soon, and what has none takes the whole budget.
	sorted := slices.Clone(subjects)
	slices.SortStableFunc(sorted, func(a, b *subject) int { return order[a.class] - order[b.class] })
	if err := l.each(sorted, l.compare); err != nil {
		return nil, err
	}
	// By the clock, one has the machine alone.
	l.jobs = 1
	return subjects, l.each(sorted, func(s *subject) error {
		if s.class != wrong || !l.clock {
			return nil
		}
		_, err := l.run(s, byClock, l.budget)
		return err
	})
}

// each does something for each subject, as many at a time as -jobs says.
func (l *lab) each(subjects []*subject, do func(*subject) error) error {
	var wait sync.WaitGroup
	var failed error
	slots := make(chan bool, l.jobs)
	for i, s := range subjects {
		slots <- true
		wait.Add(1)
		go func() {
			defer wait.Done()
			if err := do(s); err != nil {
				l.mu.Lock()
				failed = err
				l.mu.Unlock()
			}
			<-slots
		}()
		if i%100 == 99 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i+1, len(subjects))
		}
		l.mu.Lock()
		err := failed
		l.mu.Unlock()
		if err != nil {
			break
		}
	}
	wait.Wait()
	return failed
}

func (l *lab) fail(format string, a ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, fmt.Sprintf(format, a...))
}

func (s *subject) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", s.name(), s.class)
	if s.preempted {
		b.WriteString(", preempted")
	}
	if s.why != "" {
		b.WriteString(": " + s.why)
	}
	b.WriteString("\n")
	for _, c := range append(contestants, states, calm) {
		if t, ok := s.trials[c.name]; ok {
			fmt.Fprintf(&b, "    %-12s %-9s %8d executions %7.2f s  %s %s (%d)\n", c.name, t.Verdict, t.Executions, t.Found, t.Kind, t.Message, t.Preemptions)
		}
	}
	return b.String()
}
