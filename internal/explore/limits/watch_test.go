package limits

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// halted is a machine that remembers whether it is to halt.
type halted struct{ atomic.Bool }

func (h *halted) Halt(on bool) { h.Store(on) }

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 10 s: not %s", what)
		}
	}
}

// TestWatch: each limit is reached by its own name, halts the machines that may be
// halted and no others, and is late when the run goes on all the same.
func TestWatch(t *testing.T) {
	for want, limit := range map[result.ErrorKind]func(c *config.Config, cancel func()){
		result.OutOfTime:   func(c *config.Config, cancel func()) { c.Time = time.Millisecond },
		result.OutOfMemory: func(c *config.Config, cancel func()) { c.Memory = 4096 },
		result.Interrupted: func(c *config.Config, cancel func()) { cancel() },
	} {
		t.Run(string(want), func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			c := config.Default()
			c.Memory = 0
			limit(&c, cancel)
			late := make(chan result.ErrorKind, 1)
			w := Begin(ctx, &c, func(why result.ErrorKind) { late <- why })
			defer w.Close()
			var within, between halted
			w.MayHalt(&within, true)
			eventually(t, "reached", func() bool { return w.Reached() == want })
			eventually(t, "halted", within.Load)
			if between.Load() {
				t.Error("a machine is halted that isn't in a step")
			}
			if w.Unwanted() != want {
				t.Errorf("between steps it is %q", w.Unwanted())
			}
			if got := <-late; got != want {
				t.Errorf("late for %q", got)
			}
			w.MayHalt(&within, false)
			if within.Load() {
				t.Error("a machine stays halted after its step")
			}
		})
	}
}

// TestGrace: a limit of the processor's time leaves a run the same work after it on a machine that is
// busy. There is an end on the wall all the same, and other limits know that alone.
func TestGrace(t *testing.T) {
	for _, c := range []struct {
		name       string
		busy       bool
		wall, used time.Duration
		over       bool
	}{
		{"early", false, grace - 1, 0, false},
		{"asleep, a limit on the wall", false, grace, 0, true},
		{"asleep, a limit of the processor's time", true, grace, 0, false},
		{"at work, before its time", true, longestGrace - 1, grace - 1, false},
		{"at work, all threads", true, grace, grace * time.Duration(runtime.GOMAXPROCS(0)), true},
		{"at work on many processors", true, grace - 1, 100 * grace, false},
		{"asleep for long", true, longestGrace, 0, true},
	} {
		if over := graceOver(c.busy, c.wall, c.used); over != c.over {
			t.Errorf("%s: after %v, %v of the processor: the grace is over: %v", c.name, c.wall, c.used, over)
		}
	}
}

// TestBusyLimit: a run that is asleep isn't late by the processor's time when it is by the wall's.
func TestBusyLimit(t *testing.T) {
	late := func(processor bool) time.Duration {
		c := config.Default()
		c.Time, c.Memory, c.ProcessorTime = time.Nanosecond, 0, processor
		told := make(chan result.ErrorKind, 1)
		clock := StartClock(processor)
		for clock.Elapsed() <= c.Time { // a processor's time comes in ticks
		}
		begun := time.Now()
		w := clock.Watch(context.Background(), &c, func(why result.ErrorKind) { told <- why })
		defer w.Close()
		<-told
		return time.Since(begun)
	}
	wall, processor := late(false), late(true)
	if wall < grace || processor < longestGrace {
		t.Errorf("a run that is asleep is late after %v, and after %v where the limit is of the processor's time", wall, processor)
	}
}

// TestNothingWatched: without a watch nothing is reached, and the clock runs.
func TestNothingWatched(t *testing.T) {
	var w *Watch
	var m halted
	w.MayHalt(&m, true)
	if w.Reached() != "" || w.Unwanted() != "" || m.Load() {
		t.Error("a limit is reached that isn't watched")
	}
	if c := w.Clock(false); c.Elapsed() < 0 {
		t.Error("the clock goes backwards")
	}
}
