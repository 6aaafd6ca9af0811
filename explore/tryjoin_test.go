package explore

import (
	"context"
	"testing"

	"landgo/result"
)

// TestTryJoinSeesLife: a thread that has done all that others can see may still
// live when somebody tries to join it. Found by TestConvergence: the end was in
// the step of the last write.
func TestTryJoinSeesLife(t *testing.T) {
	figures["tryjoin"] = `
int pthread_tryjoin_np(pthread_t, void **);
static volatile int x;
static pthread_t self;
static void *one(void *a) { self = pthread_self(); x = 1; return a; }
static void *two(void *a) { if (x) assert(pthread_tryjoin_np(self, 0) == 0); return a; }
`
	defer delete(figures, "tryjoin")
	for _, whole := range []uint64{50_000, 0} {
		warm(t, whole)
		c := DefaultConfig()
		c.Guest, c.Out = compileFigure(t, "tryjoin"), NoFile
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
