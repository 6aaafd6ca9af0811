package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/trace"
	"landgo/por"
)

// TestToldAsFollowed: a system that follows a schedule cuts a step off where the schedule
// leaves a thread and nothing is known to be shared. The story of the same run has the
// same steps. Here the schedules stop within private code.
func TestToldAsFollowed(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lost_update", "withdraw", "early_exit", "lost_wakeup"} {
		c := config.Default()
		c.Guest, c.Out, c.Deepen, c.PP = compile.Guest(t, "musl-O1", name), config.NoFile, false, trace.MemPoints
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		want, err := trace.ParseSchedule(r.Bug.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		early := want.Segments[0]
		early.Until -= 3
		path, failure, err := s.FollowAll(trace.Schedule{Check: want.Check, Segments: slices.Insert(slices.Clone(want.Segments), 0, early)})
		if err != nil || failure == nil {
			t.Fatalf("%s: %v, failure %v", name, err, failure)
		}
		if !slices.ContainsFunc(path, func(p por.PathStep) bool { return p.Limit != 0 }) {
			t.Errorf("%s: no step was cut off", name)
		}
		st, err := story.Tell(s, path)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.Schedule.String(); got != want.String() {
			t.Errorf("%s: the story is %s, what was followed %s", name, got, want.String())
		}
		s.Close()
	}
}

// TestCauseIsWhatNoLockProtects: a thread is preempted within a race. Others also change what it
// did under a lock before and after, and that isn't told as the cause. An access right after its
// lock is reported as made with it.
func TestCauseIsWhatNoLockProtects(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Out, c.Guest = config.NoFile, compile.Text(t, "gcc", `#include <assert.h>
#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void safe(void) { pthread_mutex_lock(&m); y++; pthread_mutex_unlock(&m); }
static void *f(void *p) { safe(); x++; safe(); return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); assert(x == 2); return 0; }
`)
	r, err := Run(context.Background(), c, nil)
	if err != nil || r.Bug == nil {
		t.Fatalf("%v %v", err, r)
	}
	if !strings.Contains(r.Bug.Cause, "changes x") || len(r.Bug.Accesses) != 3 {
		t.Errorf("%q, %d accesses", r.Bug.Cause, len(r.Bug.Accesses))
	}
	for i := range r.Bug.Steps {
		for _, a := range r.Bug.Steps[i].Accesses {
			if want := []string{"m"}; a.Symbol == "y" && !slices.Equal(a.Held, want) || a.Symbol == "x" && len(a.Held) > 0 {
				t.Errorf("thread %s %s %s, holding %q", a.Thread, a.Op, a.Symbol, a.Held)
			}
		}
	}
}
