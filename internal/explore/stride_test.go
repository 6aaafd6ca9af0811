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
	if r.Verdict != result.Buggy || r.Bug.Kind != trace.Assertion || r.Bug.Preemptions == 0 || r.Bug.Mistake == "" {
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
