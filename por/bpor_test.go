package por

import (
	"testing"

	"landgo/por/internal/model"
)

// TestBPORReduces: at bound 2 bpor runs at least ten times fewer executions than
// bounded search without reduction, on three threads or more. (On two, with
// micro 2 3, there are 643 schedules of 72 traces, and no search could.)
func TestBPORReduces(t *testing.T) {
	bound := Bounds{{Preempt, 2}}
	for _, c := range []struct {
		name string
		prog *model.Program
	}{
		{"micro 3 1", model.Micro(3, 1)},
		{"ring 4", model.Ring(4)},
		{"threads on one lock, as in FFT", model.MutexInc(3, 2)},
	} {
		less, _ := runModel(t, "bpor", c.prog, Options{OneEvent: true, Unmerged: true, Bounds: bound})
		most := 10*(less.Executions+less.Blocked) + 1
		all, _ := runModel(t, "bounded", c.prog, Options{Bounds: bound, MaxExecutions: most})
		if all.Executions < most {
			t.Errorf("%s: %d executions, and %d without reduction", c.name, less.Executions, all.Executions)
		}
	}
}

// TestBPORIsDPOR: under a bound that cuts nothing off no conservative point is
// added: each trace is run once.
func TestBPORIsDPOR(t *testing.T) {
	for _, search := range conservative {
		st, _ := runModel(t, search, model.MutexInc(3, 2), Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, 99}}})
		if st.Executions != 90 || st.Pruned != 0 || !st.Complete {
			t.Errorf("%s: %+v, want 90 executions", search, st)
		}
	}
}

// TestThesisAccount: account of the Nidhugg thesis is three threads with a
// critical section each, of one lock: 6 traces without a bound and with, at any
// bound, for lazy-bpor (as there, 6/6/6). Nidhugg- and Source-BPOR run 6, 27 and
// 42 executions there, at bounds 0, 1 and 2: a conservative branch never sleeps
// in the slides, so what it leads to is run again. Here conservative points wait
// until something was cut off, which nothing is at bounds 1 and 2; and if they
// don't wait, what was explored to the end at a lower price sleeps all the same
// (boundsleep.go).
func TestThesisAccount(t *testing.T) {
	for search, want := range map[string]uint64{"lazy-bpor": 6, "bpor": 6, "nidhugg-bpor": 6, "source-bpor": 6,
		"nidhugg-bpor:optimised=0": 6, "source-bpor:optimised=0": 6} {
		for k := 0; k <= 2; k++ {
			st, _ := runModel(t, search, model.MutexInc(3, 1), Options{OneEvent: true, Unmerged: true, Bounds: Bounds{{Preempt, k}}})
			if st.Executions != want {
				t.Errorf("%s at bound %d: %d executions, want %d", search, k, st.Executions, want)
			}
		}
	}
}
