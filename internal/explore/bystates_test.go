package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// backOut: each of two threads takes one lock, tries the other, and backs out. An
// execution in which they do so in step has no end.
const backOut = `#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int eaten;
static void *eat(void *a)
{
	int me = a != 0;
	for (;;) {
		pthread_mutex_lock(&m[me]);
		if (pthread_mutex_trylock(&m[!me]) == 0)
			break;
		pthread_mutex_unlock(&m[me]);
	}
	eaten++;
#ifdef FAULTY
	assert(me || eaten == 1);
#endif
	pthread_mutex_unlock(&m[me]);
	pthread_mutex_unlock(&m[!me]);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, eat, (void *)i);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(eaten == 2);
}
`

// forever: no execution has an end.
const forever = `#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int turn;
static void *f(void *a)
{
	for (;;) {
		pthread_mutex_lock(&m);
		if (turn == (a != 0)) turn = !turn;
		pthread_mutex_unlock(&m);
	}
}
int main(void)
{
	pthread_t t[2];
	for (long i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
`

// meetByHand: three threads meet at a barrier made by hand. It has thousands of states, and far
// more interleavings than can be run.
const meetByHand = `#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int arrived, round, at[3];
static void meet(void)
{
	pthread_mutex_lock(&m);
	int mine = round;
	if (++arrived == 3) {
		arrived = 0;
		round++;
		pthread_cond_broadcast(&c);
	} else
		while (mine == round)
			pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
}
static void *f(void *a)
{
	int me = (long)a;
	for (int i = 0; i < 2; i++) {
		at[me] = i;
		meet();
		assert(at[(me + 1) % 3] == i);
		meet();
	}
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
`

// backOutAndStore: threads that back out and try again, and then look for each other's store, which may
// still be in a buffer.
const backOutAndStore = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int here[2], alone;
static void *f(void *a)
{
	int me = (long)a;
	for (;;) {
		pthread_mutex_lock(&m[me]);
		if (pthread_mutex_trylock(&m[(me + 1) % 3]) == 0)
			break;
		pthread_mutex_unlock(&m[me]);
		sched_yield();
	}
	pthread_mutex_unlock(&m[(me + 1) % 3]);
	pthread_mutex_unlock(&m[me]);
	if (me < 2) {
		here[me] = 1;
		if (!here[!me])
			__sync_fetch_and_add(&alone, 1);
	}
	return 0;
}
int main(void)
{
	pthread_t t[3];
	for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	assert(alone < 2);
}
`

// TestStatesBeside: a search by states beside the others has a verdict where they are
// far from their end; and what store buffers do is searched by states, too.
func TestStatesBeside(t *testing.T) {
	t.Parallel()
	for _, g := range []struct {
		name, source string
		verdict      result.Verdict
		memory       string
	}{
		{"rounds", meetByHand, result.Verified, "x86-TSO (store buffers explored)"},
		{"late", backOutAndStore, result.Buggy, "x86-TSO (store buffers explored)"},
	} {
		c := config.Default()
		c.Guest, c.Out, c.Jobs = compile.Text(t, "gcc", g.source), config.NoFile, 1
		ctx := &waning{Context: context.Background()}
		ctx.left.Store(40_000)
		r, err := Run(ctx, c, nil)
		if err != nil {
			t.Fatal(g.name, err)
		}
		if r.Verdict != g.verdict || r.Search != config.Stateful || r.Certificate.Memory != g.memory {
			t.Errorf("%s: %s by %s under %s: %s", g.name, r.Verdict, r.Search, r.Certificate.Memory, r.Reason)
		}
	}
}

// TestByStates: without --pp, a guest whose executions needn't end is searched by
// states, to a verdict; one whose executions can't end has none.
func TestByStates(t *testing.T) {
	t.Parallel()
	for _, g := range []struct {
		name, source string
		search       string // with --pp mem; "" is a deepening
		verdict      result.Verdict
		problem      result.ErrorKind
	}{
		{"back out", backOut, "", result.Verified, ""},
		{"back out, and a bug", "#define FAULTY\n" + backOut, "", result.Buggy, ""},
		{"for ever", forever, "stateful", result.Budget, result.Endless},
	} {
		c := config.Default()
		c.Guest, c.Out, c.Jobs = compile.Text(t, "gcc", g.source), config.NoFile, 1
		if g.search != "" {
			c.Search, c.Deepen = g.search, false
			c.PP = trace.MemPoints
		}
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(g.name, err)
		}
		if r.Verdict != g.verdict || r.Problem != g.problem || g.verdict == result.Verified && (r.Search != "stateful" || r.Executions == 0) {
			t.Errorf("%s: %s by %s, %s %s, %d executions", g.name, r.Verdict, r.Search, r.Problem, r.Reason, r.Executions)
		}
		if r.Bug != nil && r.Bug.Kind != "assertion" {
			t.Errorf("%s: %s", g.name, r.Bug.Kind)
		}
	}
}

// TestStatesOfOutput: states that differ in what was printed only are two.
func TestStatesOfOutput(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", `#include <pthread.h>
#include <unistd.h>
static volatile int v, z;
static volatile char c;
static void *set(void *p) { v = 1; return p; }
static void __attribute__((noinline)) print(void) { c = '0' + v; write(1, (void *)&c, 1); c = 0; v = 1; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, set, 0);
	print();
	__asm__ volatile("xor %%eax, %%eax; xor %%ecx, %%ecx; xor %%edx, %%edx" ::: "rax", "rcx", "rdx");
	z = 1;
	z = 2;
	pthread_join(t, 0);
}
`)
	c.Out, c.Jobs, c.Deepen, c.Search, c.PP = config.NoFile, 1, false, config.Stateful, trace.MemPoints
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Verified || len(r.Outcomes) != 2 {
		t.Errorf("%s, outcomes %v", r.Verdict, r.Outcomes)
	}
}
