package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/por"
)

// polite are threads that wait for another one, and write while they do: some
// executions have no end.
const polite = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
static volatile int flag, turns, done;
static void *waits(void *p) { while (!flag) { turns++; sched_yield(); } done++; return p; }
static void *sets(void *p) { int d = done; flag = 1; done = d + 1; return p; }
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i < 2 ? waits : sets, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
#ifdef BAD
	assert(done > 1);
#endif
}
`

// TestClaims: a default run that is cut off says up to how many preemptions there is no
// bug, and a search within that bound alone finds none either.
func TestClaims(t *testing.T) {
	t.Parallel()
	for _, g := range []struct {
		name, source string
		fair         bool
		polls        int64
	}{
		{"polite", polite, true, 1_500}, // of which samples with store buffers have some
		{"fib_bench-N5", "", false, 3_000},
		{"fib_bench-N4", "", false, 600}, // while the first job is alone
	} {
		c := config.Default()
		if g.source != "" {
			c.Guest = compile.Text(t, "gcc", g.source)
		} else {
			c.Guest = compile.Guest(t, "musl-O1/"+g.name)
		}
		c.Out, c.Jobs = config.NoFile, 1
		ctx := &waning{Context: context.Background()}
		ctx.left.Store(g.polls)
		r, err := Run(ctx, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Budget || r.BoundedAt == nil {
			t.Fatalf("%s: %s, %d executions, claim %q", g.name, r.Verdict, r.Executions, r.Claimed())
		}
		t.Logf("%s: %d executions, %s", g.name, r.Executions, r.Claimed())
		bounds, err := por.ParseBounds(r.BoundedBy)
		if err != nil {
			t.Fatal(err)
		}
		if at, _ := bounds.Limit(por.Preempt); at != *r.BoundedAt {
			t.Errorf("%s: %s at %d", g.name, r.BoundedBy, *r.BoundedAt)
		}
		if _, fair := bounds.Limit(por.Fair); fair != g.fair {
			t.Errorf("%s: %s", g.name, r.BoundedBy)
		}
		c.Deepen, c.Search, c.Bounds = false, "bpor", bounds
		if *r.BoundedAt < 2 && !g.fair {
			c.Search = "bounded" // without any reduction
		}
		if alone, err := Run(context.Background(), c, nil); err != nil || alone.Verdict != result.Bounded {
			t.Errorf("%s, %s: %v %s", g.name, r.BoundedBy, err, alone.Verdict)
		}
	}
}

// meetings are threads that wait for each other: without a preemption, each wait has a
// choice of the next thread.
const meetings = `#include <pthread.h>
static pthread_barrier_t b;
static volatile int n;
static void *f(void *p) { for (int i = 0; i < 6; i++) { n = n + 1; pthread_barrier_wait(&b); } return p; }
int main(void)
{
	pthread_t t[4];
	pthread_barrier_init(&b, 0, 4);
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
}
`

// TestClaimByDelays: where there are too many executions without a preemption, the claim
// is by delays; and the result says what was tried.
func TestClaimByDelays(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.Jobs, c.Race = compile.Text(t, "gcc", meetings), config.NoFile, 1, config.RaceOff
	ctx := &waning{Context: context.Background()}
	ctx.left.Store(2_000)
	r, err := Run(ctx, c, nil)
	if err != nil || r.Verdict != result.Budget || !strings.HasPrefix(r.BoundedBy, "delay=") || !strings.Contains(r.Tried(), "without a preemption, ") {
		t.Errorf("%v, %s, claim %q by %s, tried %q, jobs %+v", err, r.Verdict, r.Claimed(), r.BoundedBy, r.Tried(), r.Jobs)
	}
}

// TestClaimWithBug: a bug that a claim would exclude is found, and then nothing is
// claimed.
func TestClaimWithBug(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out = compile.Text(t, "gcc", "#define BAD\n"+polite), config.NoFile
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Finish(); r.Verdict != result.Buggy || r.BoundedAt != nil || r.Bug.Preemptions > 2 {
		t.Errorf("%s, %s", r.Verdict, r.Claimed())
	}
}

// TestOwnBound: what a search within the user's bound has explored when it ends early is
// claimed; and where an execution has no end, the advice isn't what the user did. It takes 2 GiB:
// beside other tests the process would reach its limit.
func TestOwnBound(t *testing.T) {
	c := config.Default()
	c.Guest, c.Out, c.Deepen = compile.Text(t, "gcc", polite), config.NoFile, false
	c.Search, c.Bounds = "bpor", por.Bounds{{Measure: por.Preempt, Limit: 2}}
	r, err := Run(context.Background(), c, nil)
	if err != nil || r.Problem != result.NoEndWithin || strings.Contains(result.Explain(r.Problem).Cure, "preempt=2 or") {
		t.Errorf("%v %s %s", err, r.Verdict, r.Problem)
	}
	for _, search := range []string{"bpor", "bounded", "naive-bpor"} {
		c.Guest, c.Search, c.Bounds = compile.Text(t, "gcc", split), search, por.Bounds{{Measure: por.Preempt, Limit: 8}}
		ctx := &waning{Context: context.Background()}
		ctx.left.Store(200)
		r, err := Run(ctx, c, nil)
		if err != nil || r.Verdict != result.Budget {
			t.Fatalf("%s: %v %s", search, err, r.Verdict)
		}
		if claims := search != "naive-bpor"; claims != (r.BoundedAt != nil) {
			t.Errorf("%s: claims %q", search, r.Claimed())
		}
	}
}
