package explore

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// TestKernelWaitsLong: threads that yield to each other until 1,500 ticks have passed,
// more than a livelock is claimed after, are no livelock, and they end. So it is
// where a loop of the kernel's own reads the clock, and where a course's kernel sleeps
// so.
func TestKernelWaitsLong(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ program, test string }{{"kernel", "watch"}, {"course", "long_nap"}} {
		c := kernelConfig(kernelBuilt(t, k.program), k.test, "yield")
		c.MaxExecutions = 1
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Bug != nil || r.Executions != 1 || r.Transitions < 1500 {
			t.Errorf("%s: %s (%s), %d executions of %d steps, %+v", k.test, r.Verdict, r.Reason, r.Executions, r.Transitions, r.Bug)
		}
	}
}

// TestKernelLivelock: it is told at whatever points, and comes again. A thread that is
// alone, and yields to itself, has one too.
func TestKernelLivelock(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ program, test, pp, search string }{
		{"kernel", "await", "yield", "optimal"}, {"kernel", "await", "cli,sti", "optimal"},
		{"course", "politeness", "cli", "optimal"}, {"course", "loneliness", "cli", "optimal"},
		// A search that begins with the thread that ran would never let the other turn.
		{"course", "politeness", "yield", "bpor"}, {"course", "politeness", "yield", "bounded"}, {"course", "politeness", "yield", "none"},
	} {
		c := kernelConfig(kernelBuilt(t, k.program), k.test, k.pp)
		c.Search, c.MaxExecutions = k.search, 20 // the first has it
		if k.search == "bpor" || k.search == "bounded" {
			c.Bounds = por.Bounds{{Measure: por.Preempt, Limit: 0}}
		}
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Bug == nil || r.Bug.Kind != trace.Livelock || r.Bug.Preemptions != 0 {
			t.Errorf("%s at %s, %s: %s (%s), %+v", k.test, k.pp, k.search, r.Verdict, r.Reason, r.Bug)
			continue
		}
		again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Bug == nil || again.Bug.Message != r.Bug.Message {
			t.Errorf("%s at %s, %s: the replay ended in %s, %+v", k.test, k.pp, k.search, again.Verdict, again.Bug)
		}
	}
}

// TestKernelScrolls: what goes up the screen as a whole is moved at once, and in no
// other way than byte by byte: the test looks. 4,000 bytes take more instructions than
// all else. With interrupts on it is byte by byte, for others can come between.
func TestKernelScrolls(t *testing.T) {
	t.Parallel()
	c := kernelConfig(kernelBuilt(t, "course"), "scroll", "cli")
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Verified || r.Instructions > 4000*r.Executions {
		t.Errorf("%s (%s), %d executions of %d instructions", r.Verdict, r.Reason, r.Executions, r.Instructions)
	}
	c = kernelConfig(kernelBuilt(t, "course-letter_open"), "scroll", "cli")
	c.MaxExecutions = 1
	if r, err = Run(context.Background(), c, nil); err != nil {
		t.Fatal(err)
	}
	if r.Executions != 1 || r.Instructions < 2*4000 {
		t.Errorf("with interrupts on: %s (%s), %d executions of %d instructions", r.Verdict, r.Reason, r.Executions, r.Instructions)
	}
}

// TestKernelStepTells: what is learned by trying which threads can run in a state is told by the
// step that leads there, because no other need follow. So to ask which can run learns nothing.
func TestKernelStepTells(t *testing.T) {
	for _, test := range []string{"sleep", "alarm"} {
		s, err := session.Open(kernelConfig(kernelBuilt(t, "kernel"), test, "cli"), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		told, ended := 0, false
		for !ended {
			s.Guest.Rewind(s.Root)
			for {
				next := trace.NoThread
				before := s.Guest.Knowledge()
				for _, th := range s.Guest.Threads(nil) {
					if th.Status == trace.Ready && (next == trace.NoThread || th.Next) {
						next = th.ID
					}
				}
				if told > 0 && !reflect.DeepEqual(before, s.Guest.Knowledge()) {
					t.Fatalf("%s: to ask which threads can run has learned something", test)
				}
				tr, err := s.Guest.Step(next, 0)
				if told++; errors.Is(err, por.ErrFiner) {
					break // again
				}
				if err != nil {
					t.Fatal(err)
				}
				if ended = tr.End == trace.EndProcess; ended {
					break
				}
			}
		}
	}
}

// A thread that sleeps for longer than any thread waits is left asleep, and the
// verdict says so. No ticks are spent on it, and no other thread is tried for its
// sake.
func TestKernelOversleeps(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), kernelConfig(kernelBuilt(t, "course"), "oversleep", "cli"), nil)
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(r.Certificate.Assumptions, "\n")
	if r.Verdict != result.Verified || !strings.Contains(said, "no search waits for") || strings.Contains(said, "no tick took") {
		t.Errorf("%s, with %s", r.Verdict, said)
	}
}
