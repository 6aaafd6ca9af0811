package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// waning is over when it was asked this many times whether it is.
type waning struct {
	context.Context
	left atomic.Int64
}

func (w *waning) Err() error {
	if w.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// split has three threads whose space at every access is left early, so that
// there are rounds, and a search by preemptions beside them.
const split = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
static int a, b, c;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *p)
{
	a++;
	pthread_mutex_lock(&m);
	c++;
	pthread_mutex_unlock(&m);
	b++;
	return p;
}
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, one, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
#ifdef BAD
	assert(a != 1 || b != 1);
#endif
	printf("%d %d %d\n", a, b, c);
}
`

// TestDeepeningGoesOn: a deepening is ended at any time, and goes on from its
// checkpoint in something that knows nothing else, again and again. It reports what
// an undisturbed one does.
func TestDeepeningGoesOn(t *testing.T) {
	warm(t, 1)
	old := pauseSteps
	t.Cleanup(func() { pauseSteps = old })
	for _, g := range []struct {
		name   string
		change func(*config.Config)
		pause  uint64
		polls  int64 // of each process
	}{
		{"split", func(c *config.Config) { c.Jobs = 2 }, 1 << 40, 300},
		{"rare", func(*config.Config) {}, 3_000, 400},
		{"fib_bench-N3", func(c *config.Config) { c.Race = config.RaceHB }, 1, 20},
		{"fib_bench-N3-BAD", func(c *config.Config) {
			c.Jobs, c.KeepGoing, c.FailOnRace, c.SelfCheck, c.Search = 1, true, true, true, "source"
		}, 2_000, 50},
		{"fib_bench-N3", func(c *config.Config) { c.Deepen, c.PP = false, trace.PointRace|trace.PointYield }, 1, 20},
		{"split", func(c *config.Config) { c.SyncOnly = true }, 1, 1},
		{"queue-cond", func(c *config.Config) { c.Jobs = 1 }, 2_000, 200},
	} {
		c := config.Default()
		c.Out = config.NoFile
		switch g.name {
		case "queue-cond": // beside which goes a rung
			c.Guest = compile.Guest(t, "pebbles/queue-cond")
		case "rare":
			c.Guest = compile.Text(t, "gcc", rare)
		case "split":
			c.Guest = compile.Text(t, "gcc", split)
		default:
			c.Guest = compile.Guest(t, "musl-O1/"+g.name)
		}
		g.change(&c)
		pauseSteps = g.pause
		rounds(t, 2_000, 1_000)
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finer = ""                             // it repeats the options
		r.Estimate.Least, r.Estimate.Most = 0, 0 // what was estimated is no part of a checkpoint
		want := untimed(t, r)

		c.Checkpoint, c.CheckpointEvery = filepath.Join(t.TempDir(), "file"), 1
		var last *result.Result
		processes := 0
		for ended := false; !ended; processes++ {
			ctx := &waning{Context: context.Background()}
			// Each has more time than the one before: one that has too little to
			// reach where it can be saved would come again for ever.
			ctx.left.Store(g.polls * int64(20*processes+1))
			if last, err = Run(ctx, c, nil); err != nil {
				t.Fatalf("%s: %v", g.name, err)
			}
			ended = ctx.left.Load() >= 0
			if _, err := os.Stat(c.Checkpoint); err == nil {
				c.Resume = c.Checkpoint
			}
			if processes > 100 {
				t.Fatalf("%s: no end", g.name)
			}
		}
		last.Finer = ""
		last.Estimate.Least, last.Estimate.Most = 0, 0
		if got := untimed(t, last); got != want {
			t.Errorf("%s: after %d processes %s", g.name, processes, firstDifference(got, want))
		}
		if processes < 2 {
			t.Errorf("%s: it was never gone on with", g.name)
		}
		t.Logf("%s: %s, %d processes, %d jobs", g.name, last.Verdict, processes, len(last.Jobs))
	}
}

// firstDifference is where two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d is\n%s\none has\n%s", i, strings.Join(a[max(0, i-8):min(i+3, len(a))], "\n"), strings.Join(b[max(0, i-8):min(i+3, len(b))], "\n"))
		}
	}
	return fmt.Sprintf("%d lines, one has %d", len(a), len(b))
}
