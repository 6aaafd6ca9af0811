package explore

import (
	"context"
	"testing"

	"landgo/explore/config"
	"landgo/internal/compile"
	"landgo/result"
)

const tryJoin = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
static volatile int x;
static pthread_t self;
static void *one(void *a) { self = pthread_self(); x = 1; return a; }
static void *two(void *a) { if (x) assert(pthread_tryjoin_np(self, 0) == 0); return a; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0);
	pthread_create(&b, 0, two, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
`

// TestTryJoinSeesLife: a thread that has done all that others can see may still
// live when somebody tries to join it. Found by TestConvergence: the end was in
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
