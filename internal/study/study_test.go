package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/part"
	"landgo/internal/result"
)

// The study works at the top of the tree, with a landgo built from it.
func TestMain(m *testing.M) { os.Exit(inTree(m)) }

var landgo string

func inTree(m *testing.M) int {
	dir, err := os.MkdirTemp("", "landgo-study-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	if landgo, err = compile.Landgo(".", dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Unsetenv("GOGC") // as in internal/e2e
	os.Unsetenv("GOMEMLIMIT")
	return m.Run()
}

func newLab(t *testing.T) *lab {
	t.Helper()
	return &lab{landgo: landgo, scratch: t.TempDir(), budget: 20, jobs: 2, contestants: contestants, codes: map[string]string{}}
}

// TestReduced makes the study of a few pairs with a known outcome: one of each
// class, and bugs that need a preemption and a data-race point.
func TestReduced(t *testing.T) {
	l := newLab(t)
	for _, tt := range []struct {
		name      string
		class     class
		preempted bool
		sync      result.Verdict // of the contestants without points at accesses
	}{
		{"spin/right/spin-cond", right, true, result.Verified},
		// xchg as a load and a store: only between them does it go wrong.
		{"spin/mutex.c-9-atomic_plain/spin-mutex", wrong, true, result.Verified},
		// The ready flag is set under the lock, so the wake-up may come first.
		{"spin/sem.c-38-signal_first/spin-sem", equivalent, true, ""},
		// A thread that ends keeps the lock that the others spin for.
		{"spin/thread.c-116-unlock_late/spin-join_late", wrong, true, result.Buggy},
		// No thread is ever woken.
		{"queue/thread.c-105-wake_dropped/queue-reuse", forced, false, ""},
		// Of a kernel: a wake-up between the look and the sleep.
		{"kernel/variant.h-0-by_hand-wakeup_lost/kernel-kernel_semaphore", wrong, true, result.Buggy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			part.Row(t)
			subjects, err := l.study(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if len(subjects) != 1 {
				t.Fatalf("%d pairs have this name", len(subjects))
			}
			s := subjects[0]
			if s.class != tt.class || s.preempted != tt.preempted {
				t.Errorf("got\n%swant %s, preempted %v", s.line(), tt.class, tt.preempted)
			}
			if tt.class == equivalent || tt.class == forced {
				return
			}
			for _, c := range l.contestants {
				got, want := s.trials[c.name].Verdict, result.Buggy
				switch {
				case tt.class == right:
					want = result.Verified
				case c.name == singleDPOR.name || c.name == singleBPOR.name || c.name == deepSync.name:
					want = tt.sync
				}
				if got != want {
					t.Errorf("%s says %s, want %s", c.name, got, want)
				}
			}
		})
	}
	if len(l.failures) > 0 {
		t.Errorf("contradictions:\n%s", strings.Join(l.failures, "\n"))
	}
}

// TestGoesOn: a study that was stopped uses its results so far, of the same
// landgo only.
func TestGoesOn(t *testing.T) {
	l := newLab(t)
	const name = "spin/right/spin-cond" // the study of which takes a second
	if _, err := l.study(name); err != nil {
		t.Fatal(err)
	}
	real := l.landgo
	l.landgo = filepath.Join(l.scratch, "other")
	if err := os.WriteFile(l.landgo, []byte("#!/bin/sh\nexit 9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.codes = map[string]string{}
	if _, err := l.study(name); err == nil || !strings.Contains(err.Error(), "exit 9") {
		t.Errorf("another landgo: %v, want that it was run", err)
	}
	l.stale = true
	if _, err := l.study(name); err != nil {
		t.Errorf("another landgo, and old results are welcome: %v", err)
	}
	l.stale, l.landgo = false, real
}

// TestMutantsAreBuilt: a mutant of a source and one of a header are built, with
// their change in the program; one that isn't C is discarded with the reason.
func TestMutantsAreBuilt(t *testing.T) {
	l := newLab(t)
	all, err := pairs()
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string) pair {
		i := slices.IndexFunc(all, func(p pair) bool { return p.name() == name })
		if i < 0 {
			t.Fatalf("there is no %s", name)
		}
		return all[i]
	}
	code := func(name string) string {
		t.Helper()
		program, err := l.build(find(name))
		if err != nil {
			t.Fatal(err)
		}
		c, err := loaded(program)
		if err != nil {
			t.Fatal(err)
		}
		return string(c)
	}
	original := code("queue/right/queue-cond")
	for _, name := range []string{"queue/cond.c-40-wake_dropped/queue-cond", "queue/guard.h-18-atomic_plain/queue-cond"} {
		if code(name) == original {
			t.Errorf("%s has the right library's code", name)
		}
	}
	bad := find("queue/cond.c-40-wake_dropped/queue-cond")
	mutant := *bad.mutant
	mutant.Detail, mutant.Text = "broken", strings.Replace(mutant.Text, "mutex_lock(m);", "no_such_type m;", 1)
	bad.mutant = &mutant
	var why discarded
	for range 2 { // the second time from the note of the first
		if _, err := l.build(bad); !errors.As(err, &why) || !strings.Contains(string(why), "no_such_type") {
			t.Errorf("got %v, want the compiler's reason", err)
		}
	}
}

// TestPages: the summary and the page of all tables can be filled in, and have the
// counts.
func TestPages(t *testing.T) {
	l := &lab{budget: 10, contestants: contestants}
	bug := trial{Verdict: result.Buggy, Preemptions: 1}
	subjects := []*subject{
		{pair: pair{library: "spin", test: "mutex"}, class: right, trials: map[string]trial{memBPOR.name: {Verdict: result.Verified}}},
		{pair: pair{library: "queue", test: "mutex"}, class: wrong, preempted: true, trials: map[string]trial{memBPOR.name: bug, deepLimited.name: bug}},
	}
	cells := l.cells(subjects)
	for name, text := range map[string]string{"page.md": page, "tables.md": tables} {
		filled, err := fill(text, cells)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(filled, cells["table2"]) {
			t.Errorf("%s hasn't the table of preemptions", name)
		}
	}
	for _, want := range []string{
		"| `deep-limited` | deepening, limited happens-before | QS-Limited-HB | 153 | 1 | 153 | 0 |",
		"| `mem-bpor` | every access, BPOR by preemptions | SSS-MC-Shared-Mem | 122 | 1 | 39 | 1 |",
	} {
		if !strings.Contains(cells["summary"], want) {
			t.Errorf("the summary hasn't the row %q:\n%s", want, cells["summary"])
		}
	}
}

// TestPairs: there are as many as the study promises, by the same rule each
// time, with six tests for each file, and every test has a family.
func TestPairs(t *testing.T) {
	all, err := pairs()
	if err != nil {
		t.Fatal(err)
	}
	again, err := pairs()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	used := map[string]map[string]bool{} // tests by library and file
	for i, p := range all {
		if names[p.name()] {
			t.Errorf("two pairs are called %s", p.name())
		}
		names[p.name()] = true
		if p.mutant != nil {
			file := p.library + "/" + p.mutant.File
			if used[file] == nil {
				used[file] = map[string]bool{}
			}
			used[file][p.test] = true
		}
		if p.name() != again[i].name() {
			t.Fatalf("pair %d is %s, then %s", i, p.name(), again[i].name())
		}
		if familyOf[p.test] == "" {
			t.Errorf("test %s is in no row of the tables", p.test)
		}
	}
	for file, by := range used {
		if len(by) != 6 && file != "kernel/variant.h" {
			t.Errorf("mutants of %s are under %d tests", file, len(by))
		}
	}
	if len(all) < 1000 {
		t.Errorf("%d pairs", len(all))
	}
}
