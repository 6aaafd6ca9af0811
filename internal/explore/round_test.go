package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// rounds has a deepening go in rounds from some number of steps on, each as
// short as is said.
func rounds(t testing.TB, from, length uint64) {
	oldOpening, oldSteps := opening, roundSteps
	opening, roundSteps = from, length
	t.Cleanup(func() { opening, roundSteps = oldOpening, oldSteps })
}

// rare has a bug, and makes a third thread, only where two threads alternate
// nearly all the time.
const rare = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int i = 1, j = 1;
static void *three(void *a) { assert(atomic_load(&j) < 80); return a; }
static void *one(void *a)
{
	pthread_t t;
	for (int k = 0; k < 5; k++) atomic_store(&i, atomic_load(&i) + atomic_load(&j));
	if (i > 100) pthread_create(&t, 0, three, 0), pthread_join(t, 0);
	return a;
}
static void *two(void *a) { for (int k = 0; k < 5; k++) atomic_store(&j, atomic_load(&j) + atomic_load(&i)); return a; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, one, 0), pthread_create(&b, 0, two, 0);
	pthread_join(a, 0), pthread_join(b, 0);
}
`

// TestJobsAtOnce: with several jobs at work at a time nothing that is reported
// depends on the number of workers; nor does the verdict on whether there are
// rounds at all. In rare a round meets a thread that wasn't known.
func TestJobsAtOnce(t *testing.T) {
	warm(t, 1)
	several := 0
	for _, g := range []struct {
		name   string
		goesOn bool
		length uint64
	}{
		{"rare", false, 60},
		{"fib_bench-N3", false, 1},
		{"fib_bench-N3", true, 500},
		{"fib_bench-N3-BAD", true, 1},
		{"late_sharing", true, 1},
	} {
		c := config.Default()
		c.Out, c.KeepGoing, c.Coverage = config.NoFile, g.goesOn, true
		if g.name == "rare" {
			c.Guest = compile.Text(t, "gcc", rare)
		} else {
			c.Guest = compile.Guest(t, "musl-O1/"+g.name)
		}
		rounds(t, 1<<40, 1<<17)
		whole, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		rounds(t, g.length, g.length/2+30)
		r := sameFor(t, c, 1, 5)
		if r.Verdict != whole.Verdict || g.goesOn && len(r.Bugs) != len(whole.Bugs) {
			t.Errorf("%s: %s with %d bugs, without rounds %s with %d", g.name, r.Verdict, len(r.Bugs), whole.Verdict, len(whole.Bugs))
		}
		if r.Verdict == result.Verified && len(r.Jobs) > 3 {
			several++
		}
	}
	if several == 0 {
		t.Error("no deepening had more than a few jobs: the test tests little")
	}
}
