package explore

import (
	"context"
	"os/exec"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// cacheHead begins each program of TestThreadCaches.
const cacheHead = `#define _GNU_SOURCE
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>
static void *volatile p, *volatile q, *volatile r;
static pthread_t t, u;
static sem_t s;
#define BOTH(f, g) pthread_create(&t, 0, f, 0), pthread_create(&u, 0, g, 0), pthread_join(t, 0), pthread_join(u, 0)
static void *give(void *a) { free(p); return a; }
static void *take(void *a) { q = malloc(24); return a; }
static void *use(void *a) { p = malloc(24); free(p); return a; }
`

// threadCaches has programs that see when glibc's allocator uses again what an ended
// thread freed. The field machine is the machine's own result: 1 for the assertion
// in each run, 0 for none in any. It is -1 where the runs differ, or the order that
// shows it is rare.
var threadCaches = []struct {
	name, source, want string
	machine            int
}{
	{"the next thread's", `int main(void) { pthread_create(&t, 0, use, 0); pthread_join(t, 0); pthread_create(&u, 0, take, 0); pthread_join(u, 0); assert(p != q); }`, "assertion", 1},
	{"the creator's block", `int main(void) { p = malloc(24); pthread_create(&t, 0, give, 0); pthread_join(t, 0); take(0); assert(p != q); }`, "assertion", 1},
	{"another arena's", `int main(void) { pthread_create(&t, 0, use, 0); pthread_join(t, 0); take(0); assert(p != q); }`, "verified", 0},
	{"the thread lives", `
static void *hold(void *a) { free(p); sem_post(&s); pause(); return a; }
int main(void) { p = malloc(24); pthread_create(&t, 0, hold, 0); sem_wait(&s); take(0); assert(p != q); exit(0); }`, "verified", 0},
	{"by pthread_exit, with a result", `
static void *leave(void *a) { char room[200]; free(p); pthread_exit(snprintf(room, 200, "%p", a) ? &s : 0); }
int main(void) { void *x; p = malloc(24); pthread_create(&t, 0, leave, 0); pthread_join(t, &x); assert(x == &s); take(0); assert(p != q); }`, "assertion", 1},
	{"the result of a start routine", `
static void *lend(void *a) { free(malloc(24)); return a; }
int main(void) { void *x; pthread_create(&t, 0, lend, &s); pthread_join(t, &x); assert(x == &s); }`, "verified", 0},
	{"a C11 thread's", `
static int f(void *a) { free(p); return 5; }
int main(void) { thrd_t v; int x; p = malloc(24); thrd_create(&v, f, 0); thrd_join(v, &x); assert(x == 5); take(0); assert(p != q); }`, "assertion", 1},
	{"pthread_exit in a handler", `
static void h(int g) { pthread_exit(&q); }
static void *f(void *a) { free(p); raise(SIGUSR1); return a; }
int main(void) { void *x; signal(SIGUSR1, h); p = malloc(24); pthread_create(&t, 0, f, 0); pthread_join(t, &x); assert(x == &q); take(0); assert(p != q); }`, "assertion", 1},
	{"with a destructor that frees", `
static pthread_key_t k;
static void *f(void *a) { pthread_setspecific(k, p); return a; }
int main(void) { p = malloc(24); pthread_key_create(&k, free); pthread_create(&t, 0, f, 0); pthread_join(t, 0); take(0); assert(p != q); }`, "assertion", 1},
	{"a detached thread's", `
static void *f(void *a) { free(p); sem_post(&s); return a; }
int main(void) { p = malloc(24); pthread_create(&t, 0, f, 0); pthread_detach(t); sem_wait(&s); usleep(100000); take(0); assert(p != q); }`, "assertion", -1},
	{"a detached thread's, which may live", `
static void *f(void *a) { free(p); sem_post(&s); return a; }
int main(void) { p = malloc(24); pthread_create(&t, 0, f, 0); pthread_detach(t); sem_wait(&s); take(0); assert(p == q); }`, "assertion", -1},
	{"the first of two that end", `
static void *other(void *a) { free(r); return a; }
int main(void) { p = malloc(24), r = malloc(24); BOTH(give, other); take(0); assert(q != p); }`, "assertion", -1},
	{"the second of two that end", `
static void *other(void *a) { free(r); return a; }
int main(void) { p = malloc(24), r = malloc(24); BOTH(give, other); take(0); assert(q != r); }`, "assertion", -1},
	{"one of the two that end", `
static void *other(void *a) { free(r); return a; }
int main(void) { p = malloc(24), r = malloc(24); BOTH(give, other); take(0); assert(q == p || q == r); }`, "verified", 0},
	{"while another thread allocates", `
static void *also(void *a) { free(malloc(24)); return a; }
int main(void) { p = malloc(24); BOTH(give, also); take(0); assert(p == q); }`, "verified", 0},
	{"before another thread's call", `
static void *look(void *a) { sem_wait(&s); r = malloc(24); return a; }
static void *f(void *a) { p = malloc(24); free(p); sem_post(&s); return a; }
int main(void) { BOTH(f, look); assert(p != r); }`, "assertion", -1},
	{"twice", `
int main(void) { p = malloc(24); for (int i = 0; i < 3; i++) { pthread_create(&t, 0, give, 0); pthread_join(t, 0); take(0); assert(p == q); } }`, "verified", 0},
	{"more than a cache holds", `
static void *f(void *a) { void *b[20]; for (int i = 0; i < 20; i++) b[i] = malloc(1000); for (int i = 0; i < 20; i++) free(b[i]); return a; }
int main(void) { for (int i = 0; i < 3; i++) { pthread_create(&t, 0, f, 0); pthread_join(t, 0); } }`, "verified", 0},
}

// TestThreadCaches: with glibc's own allocator, what a thread freed is used again after
// its end as on the machine that the test runs on; by default and with other searches.
func TestThreadCaches(t *testing.T) {
	t.Parallel()
	for i, p := range threadCaches {
		// optimal and none take one build, sleep and stateful the other.
		for _, optimise := range inTurn(i, "-O0", "-O2") {
			searches := map[string][]string{"-O0": {"optimal", "none"}, "-O2": {"sleep", "stateful"}}[optimise]
			t.Run(p.name+" "+optimise, func(t *testing.T) {
				t.Parallel()
				bin := compile.Text(t, "gcc", cacheHead+p.source, optimise, "-fno-builtin")
				for range 5 {
					if failed := exec.Command(bin).Run() != nil; p.machine >= 0 && failed != (p.machine == 1) {
						t.Fatalf("on the machine, failed: %t", failed)
					}
				}
				c := onProgram(bin)
				c.Malloc = config.MallocNative
				endsAs(t, c, p.want, searches...)
			})
		}
	}
}

// TestEndIsNoPreemption: a thread that stands before the end of the process is left without a
// preemption, in the search and in the replay.
func TestEndIsNoPreemption(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", `#include <assert.h>
#include <pthread.h>
volatile int done;
static void *looks(void *a) { assert(!done); return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, looks, 0); done = 1; return 0; }`, "-O1"))
	cfg.Model = config.ModelSC
	found := ran(t, cfg)
	if found.Bug == nil || found.Bug.Preemptions != 0 {
		t.Fatalf("%s: %s, with %+v", found.Verdict, found.Reason, found.Bug)
	}
	again, err := Replay(context.Background(), *cfg.For(&found.Guest, found.Bug), result.NewBugFile(found, found.Bug, cfg.For(&found.Guest, found.Bug).Saved()), nil)
	if err != nil || again.Bug == nil || again.Bug.Preemptions != 0 {
		t.Errorf("the replay ends as %s: %s, with %+v (%v)", again.Verdict, again.Reason, again.Bug, err)
	}
}
