package explore

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// loops has a loop on line 5, where each turn is a step, and one on line 6 that has
// none.
const loops = `#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;
static volatile long own;
static void *often(void *p) { for (long i = 0; i < 1000000; i++) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); } return p; }
static void *far(void *p) { for (long i = 0; i < 100000000; i++) own++; return p; }
static void *once(void *p) { n++; return p; }
static void *late(void *p) { for (long i = 0; i < 2000000; i++) own++; return often(p); }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, WORK, 0);
	pthread_create(&u, 0, once, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
`

// atomics has the loop's step on line 4, in what the compiler makes of a library's header.
const atomics = `#include <atomic>
#include <pthread.h>
static std::atomic<long> n;
static void *often(void *p) { for (long i = 0; i < 1000000; i++) n++; return p; }
int main()
{
	pthread_t t, u;
	pthread_create(&t, 0, often, 0);
	pthread_create(&u, 0, often, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
`

// TestLongest: a run whose executions have no end that landgo reaches says which loop
// makes them long, and whose it is.
func TestLongest(t *testing.T) {
	t.Parallel()
	run := func(work string, change func(*config.Config)) *result.Result {
		c := config.Default()
		c.Guest, c.Out, c.PP, c.Deepen = compile.Text(t, "gcc", loops, "-g", "-O1", "-DWORK="+work), config.NoFile, trace.MemPoints, false
		change(&c)
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.Verdict != result.Budget {
			t.Fatalf("%s (%s)", r.Verdict, r.Reason)
		}
		return r
	}
	r := run("often", func(c *config.Config) {})
	if l := r.Longest; r.Problem != result.NoEnd || l == nil || l.Place.Line != 5 || l.Steps != 200_000 || l.Turns < 50_000 || l.Part < l.Turns || !slices.Contains(l.Threads, "0.1") || slices.Contains(l.Threads, "0") {
		t.Errorf("%s: %+v", r.Problem, l)
	}
	// Each turn has two steps.
	shows := func(r *result.Result) {
		again := config.Default()
		again.Guest, again.Out, again.PP, again.Deepen = r.Guest.Path, config.NoFile, trace.MemPoints, false
		if r.Longest == nil || r.Longest.Replay == "" {
			t.Errorf("nothing shows how the execution reaches its loop: %+v", r.Longest)
		} else if got, err := Replay(context.Background(), again, &result.BugFile{Schedule: r.Longest.Schedule}, nil); err != nil || got.Verdict != result.Budget || !got.Replay.Unfinished || got.Transitions < 7 || got.Transitions > 200 {
			t.Errorf("%s: %v, %s, %d steps", r.Longest.Replay, err, got.Reason, got.Transitions)
		}
	}
	shows(r)
	if r = run("late", func(*config.Config) {}); r.Longest == nil || r.Longest.Place.Line != 5 || r.Longest.Replay != "" {
		t.Errorf("a way of millions of instructions: %+v", r.Longest)
	}
	if _, err := exec.LookPath("g++"); err == nil {
		r = run("once", func(c *config.Config) { c.Guest = compile.Text(t, "g++", atomics, "-g", "-O1") })
		if l := r.Longest; l == nil || l.Place.Library || l.Place.Line != 4 {
			t.Errorf("%s: %+v", r.Problem, l)
		}
	}
	r = run("far", func(c *config.Config) { c.StepBudget = 1 << 24 })
	b := r.Busiest
	if r.Problem != result.StepTooLong || b == nil || b.Place.Line != 6 || b.Thread != "0.1" || b.Instructions < 1<<22 || b.Period < 2 || b.Period > 8 || r.Longest != nil {
		t.Errorf("%s: %+v, %+v", r.Problem, b, r.Longest)
	}
	r = run("once", func(c *config.Config) { c.MaxExecutions = 1 })
	if r.Longest != nil || r.Busiest != nil {
		t.Errorf("of a short program: %+v, %+v", r.Longest, r.Busiest)
	}
}

// TestLongestBuffer: a loop stores in each turn and has no fence, and another thread stores there too.
// A run with store buffers says that these grow, so that it has no end. With a fence there it has a
// verdict.
func TestLongestBuffer(t *testing.T) {
	t.Parallel()
	const beats = `A { while (!y) { x = 1; %s } return p; } B { r[0] = x; x = 1; y = 1; return p; } MAIN`
	for fence, buffered := range map[string]bool{"": true, "FENCE;": false} {
		cfg := onProgram(compile.Text(t, "gcc", bufferHead+fmt.Sprintf(beats, fence), "-g"))
		cfg.Model, cfg.Time, cfg.ProcessorTime, cfg.Jobs = config.ModelTSO, 6*time.Second, true, 1
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if grows := r.Longest != nil && r.Longest.Buffered >= manyTurns; grows != buffered || (r.Verdict == result.Verified) == buffered {
			t.Errorf("%q: %s, %+v", fence, r.Verdict, r.Longest)
		}
		if cfg.Model = config.ModelAuto; !buffered {
			continue
		}
		r, err = Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, warning := memoryOf(r); r.Verdict != result.Verified || !strings.Contains(warning, "there is no end of them") {
			t.Errorf("by default: %s, %s", r.Verdict, warning)
		}
	}
}

// leavesAt ends a run when a result so far is as is asked for.
type leavesAt struct {
	want func(*result.Result) bool
	stop func()
}

func (leavesAt) Progress(Progress)     {}
func (leavesAt) Late(result.ErrorKind) {}
func (u leavesAt) SoFar(r *result.Result) {
	if u.want(r) {
		u.stop()
	}
}

// TestLookOut: where no execution ends, the result so far names the loop and the races in it, before any
// limit is reached; and so does the last one.
func TestLookOut(t *testing.T) {
	t.Parallel()
	const source = `#include <pthread.h>

static long n;
static void *add(void *p) { for (int i = 0; i < 1000000; i++) n++; return p; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
`
	says := func(r *result.Result) bool { return r.Longest != nil && r.Longest.Place.Line == 4 && len(r.Races) > 0 }
	cfg := onProgram(compile.Text(t, "gcc", source, "-g", "-O0"))
	cfg.Time, cfg.Jobs = 2*time.Minute, 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := Run(ctx, cfg, leavesAt{says, cancel})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Budget || r.Problem != result.Interrupted || !says(r) || r.RaceCount != 2 || r.Races[0].Class != "untested" {
		t.Errorf("%s (%s), longest %+v, %d races %+v", r.Verdict, r.Problem, r.Longest, r.RaceCount, r.Races)
	}
}
