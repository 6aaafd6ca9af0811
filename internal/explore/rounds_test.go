package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
)

// Threads that wait in a loop and write meanwhile, without a yield.
const (
	counts = `#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>
static atomic_int done, polls, data;
static void *work(void *arg) {
	if (atomic_load(&polls) < 0)
		return arg;
	FIRST; SECOND;
	return 0;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, 0, work, 0);
	while (!atomic_load(&done))
		atomic_fetch_add(&polls, 1);
	assert(atomic_load(&data));
	return pthread_join(t, 0);
}`
	posts = `#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static sem_t go;
static atomic_int running = 1, stop;
static void *work(void *arg) {
	do
		sem_wait(&go);
	while (!atomic_load(&stop));
	atomic_fetch_sub(&running, 1);
	return 0;
}
int main(void) {
	pthread_t t;
	sem_init(&go, 0, 0);
	pthread_create(&t, 0, work, 0);
	atomic_store(&stop, 1);
	while (atomic_load(&running))
		sem_post(&go);
	return pthread_join(t, 0);
}`
)

// TestRounds: a thread's loop may have no end without another thread, and no yield. The
// search by preemptions has its claims all the same, and finds the bugs behind the loop.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name, source string
		flags        []string
		bug          bool
	}{
		{"a loop that counts", counts, []string{"-DFIRST=data=1", "-DSECOND=done=1"}, false},
		{"a loop that counts, and a bug", counts, []string{"-DFIRST=done=1", "-DSECOND=data=1"}, true},
		{"a loop that posts", posts, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Guest, cfg.Out = compile.Text(t, "gcc", c.source, c.flags...), config.NoFile
			w := limits.Begin(context.Background(), &cfg, nil)
			defer w.Close()
			s, err := session.Open(cfg, w)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			d := newDeepening(&hunt{Session: s, result: &result.Result{}, seen: map[string]*finding{}})
			b, err := d.hire("bpor", rising(por.Preempt))
			if err != nil {
				t.Fatal(err)
			}
			defer b.Session.Close()
			defer b.end()
			for !b.over && b.stats.Levels == 0 && b.steps < 3*stillEndless {
				b.run(boundedSlice)
			}
			b.end()
			if len(b.found) > 0 != c.bug {
				t.Fatalf("%d bugs were found", len(b.found))
			}
			if c.bug {
				if _, failure, err := s.FollowAll(b.trace[0]); err != nil || failure == nil || s.Guest.Name(failure.Thread) != "0" {
					t.Errorf("the schedule ends with %v, %v", failure, err)
				}
				return
			}
			levels, bounds := b.claims()
			of := &result.Result{}
			if claim(of, levels, bounds, b.Session); of.BoundedAt == nil || of.BoundedBy != "preempt="+string(rune('0'+*of.BoundedAt))+",fair=1" {
				t.Errorf("after %d steps: %d levels by %v, %v", b.steps, levels, bounds, b.err)
			}
		})
	}
}

// TestWeighed: where reversing races takes longer than the steps, it counts.
func TestWeighed(t *testing.T) {
	few, many := por.Stats{Transitions: 1000, Weighed: 1000}, por.Stats{Transitions: 1000, Weighed: 1 << 20}
	if steps(few) != 1000 || steps(many) != 1<<20/512 {
		t.Errorf("%d and %d steps", steps(few), steps(many))
	}
}
