package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const tryJoin = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static volatile int x, joined;
static pthread_t self;
static void *one(void *a) { self = pthread_self(); x = 1; return a; }
static void *two(void *a) { if (x) { assert(pthread_tryjoin_np(self, 0) == 0); joined = 1; } return a; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(b, 0);
	if (!joined)
		pthread_join(a, 0);
	return 0;
}
`

// TestTryJoinSeesLife: a thread that has done all that others can see may still
// live when another thread tries to join it. Found by TestConvergence: the end was in
// the step of the last write.
func TestTryJoinSeesLife(t *testing.T) {
	for _, whole := range []uint64{50_000, 0} {
		warm(t, whole)
		c := config.Default()
		c.Guest, c.Out = compile.Text(t, "gcc", tryJoin), config.NoFile
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.Verdict != result.Buggy || r.Bug.Kind != "assertion" {
			t.Errorf("warm-up %d: %s: a thread that ends is taken for ended", whole, r.Verdict)
		}
	}
}

// endJoined has a thread whose instructions are private in a fresh process up to its end, and
// one that joins it in time. Its end was a step when the bug was found.
const endJoined = `#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
static pthread_t first;
static volatile int r = 10;
static void *joins(void *a)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 5;
	r = r + (pthread_timedjoin_np(first, 0, &t) ? 20 : 10);
	return a;
}
static void *doubles(void *a) { r = r * 2; return a; }
int main(void)
{
	pthread_t t;
	pthread_create(&first, 0, doubles, 0);
	pthread_create(&t, 0, joins, 0);
	pthread_join(t, 0);
	return r;
}
`

// TestReplayGoesToAThreadsEnd: in a fresh process all of a thread is taken for private, and
// runs when it is created but for its end. A schedule that has the thread end there, before
// another thread goes on, is followed all the same.
func TestReplayGoesToAThreadsEnd(t *testing.T) {
	for _, cc := range []string{"gcc", "musl-gcc"} {
		c := config.Default()
		c.Guest, c.Out = compile.Text(t, cc, endJoined), config.NoFile
		r, err := Run(context.Background(), c, nil)
		if err != nil || r.Bug == nil {
			t.Fatal(r, err)
		}
		again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule, Kind: r.Bug.Kind, Message: r.Bug.Message}, nil)
		if err != nil || !again.Replay.Same {
			t.Errorf("%s: %s isn't followed: %+v %v", cc, r.Bug.Schedule, again, err)
		}
	}
}
