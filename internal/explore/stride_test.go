package explore

import (
	"context"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestStrides: two threads that add 60,000 times each, and may lose an addition. An execution has more steps than are
// looked at one by one. The bug is found all the same, and comes again in a replay. With atomic additions
// there is none.
func TestStrides(t *testing.T) {
	t.Parallel()
	const source = `#include <assert.h>
#include <pthread.h>
static long n;
static void *add(void *p) { for (int i = 0; i < 60000; i++) ADD; return p; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(n == 120000);
	return 0;
}
`
	cfg := onProgram(compile.Text(t, "gcc", source, "-g", "-O0", "-DADD=n++"))
	cfg.Time, cfg.Jobs = 5*time.Minute, 1
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Bug.Kind != trace.Assertion || r.Bug.Preemptions != 1 || r.Bug.Mistake == "" {
		t.Fatalf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
	}
	own := cfg.For(&r.Guest, r.Bug)
	again, err := Replay(context.Background(), *own, result.NewBugFile(r, r.Bug, own.Saved()), nil)
	if err != nil || !again.Replay.Same {
		t.Errorf("the replay: %+v %v", again, err)
	}
	cfg.Guest, cfg.Time = compile.Text(t, "gcc", source, "-g", "-O0", "-DADD=__atomic_fetch_add(&n, 1, 5)"), 4*time.Second
	if r, err = Run(context.Background(), cfg, nil); err != nil || r.Verdict != result.Budget && r.Verdict != result.Verified {
		t.Errorf("atomic: %s (%s), %v", r.Verdict, r.Reason, err)
	}
}

// TestStridesPastLocks: long executions of threads that take a lock in each turn. One in a thousand additions is made
// without it, or each behind the unlock of a full queue, where threads wait and are woken thousands of times. The bug is
// found, its story has fewer preemptions than the sample had, and it comes again in a replay.
func TestStridesPastLocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, source string
		most         int // preemptions; 0: any number
	}{
		{"one addition in a thousand", `#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static long n;
static void *add(void *p)
{
	for (int i = 0; i < 40000; i++) {
		if (i % 1000 == 999) { n++; continue; }
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return p;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(n == 80000);
	return 0;
}
`, 2},
		{"a full queue", `#include <assert.h>
#include <pthread.h>
enum { TURNS = 10000, ROOM = 64 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int head, tail, n;
static void *fill(void *p)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&m);
		while (tail - head == ROOM) pthread_cond_wait(&c, &m);
		tail++;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
	}
	return p;
}
static void *drain(void *p)
{
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&m);
		while (tail == head) pthread_cond_wait(&c, &m);
		head++;
		pthread_cond_broadcast(&c);
		pthread_mutex_unlock(&m);
		n++;
	}
	return p;
}
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i & 1 ? drain : fill, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	assert(n == 2 * TURNS);
	return 0;
}
`, 0},
	} {
		cfg := onProgram(compile.Text(t, "gcc", c.source, "-g", "-O0"))
		cfg.Time, cfg.Jobs = 5*time.Minute, 1
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if r.Verdict != result.Buggy || r.Bug.Kind != trace.Assertion || c.most > 0 && r.Bug.Preemptions > c.most {
			t.Fatalf("%s: %s (%s): %+v", c.name, r.Verdict, r.Reason, r.Bug)
		}
		own := cfg.For(&r.Guest, r.Bug)
		again, err := Replay(context.Background(), *own, result.NewBugFile(r, r.Bug, own.Saved()), nil)
		if err != nil || !again.Replay.Same {
			t.Errorf("%s: the replay: %+v %v", c.name, again, err)
		}
	}
}
