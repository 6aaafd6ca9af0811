package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// waiting counts until main says stop, in a variable that no other thread has touched
// before: main's part follows.
const waiting = `#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static volatile int stop, go, done;
static volatile long n;
static void *count(void *a) { while (!stop) n++; done = 1; return a; }
static void *pass(void *a) { return a; }
static void *relay(void *a) { volatile long k = 0; while (!go) k++; stop = 1; return a; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, count, 0);
	MAIN
	assert(done);
	pthread_join(t, 0);
	return 0;
}
`

// TestWaitsForPrivateMemory: a loop that waits for what isn't known to be shared yet
// has no end in its first step. The others get to run all the same.
func TestWaitsForPrivateMemory(t *testing.T) {
	t.Parallel()
	part.Row(t)
	for name, main := range map[string]string{
		"at once": "stop = 1;",
		"slept":   "usleep(1); stop = 1;",
		"joined":  "pthread_create(&u, 0, pass, 0); pthread_join(u, 0); stop = 1;",
		"relayed": "pthread_create(&u, 0, relay, 0); go = 1; pthread_join(u, 0);",
	} {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.Guest, c.Out, c.PP, c.Search = compile.Text(t, "gcc", strings.Replace(waiting, "MAIN", main, 1)), config.NoFile, trace.MemPoints, "optimal"
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.Verdict != result.Buggy || r.Bug.Kind != "assertion" {
				t.Errorf("%s (%s), not the assertion", r.Verdict, r.Reason)
			}
		})
	}
}

// TestWaitsTogether: whichever of several workers meets such a loop, in a search that is
// divided from the start, the same is reported, and holds when it is run again.
func TestWaitsTogether(t *testing.T) {
	defer func() { warmUp, unitSteps = 0, 0 }()
	warmUp, unitSteps = 1, 5
	c := config.Default()
	c.Guest, c.Out, c.Deepen, c.SelfCheck = compile.File(t, "musl-gcc", "testdata/waits_twice.c"), config.NoFile, false, true
	if r := sameFor(t, c, 1, 2); r.Verdict != result.Verified || r.Executions == 0 || r.Certificate.SelfCheck != "passed" {
		t.Errorf("%s (%s), %d executions, self-check %s", r.Verdict, r.Reason, r.Executions, r.Certificate.SelfCheck)
	}
}
