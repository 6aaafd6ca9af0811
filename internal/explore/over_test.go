package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const overHead = `
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
static pthread_key_t k;
static int ran, seen[2];
static pthread_t t, u;
static void d(void *p) { *(int *)p = 1; }
static void *set(void *a) { pthread_setspecific(k, &ran); return a; }
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;
static void *at_exit(void *a) { __cxa_thread_atexit_impl(d, a, &__dso_handle); return a; }
`

// overs are programs that see keys, and what threads do at their ends, in each order.
var overs = []struct{ name, source, want string }{
	{"a key deleted before the thread's end", `int main(void) { pthread_key_create(&k, d); pthread_create(&t, 0, set, 0); pthread_key_delete(k); pthread_join(t, 0); assert(ran); }`, "assertion"},
	{"a key deleted behind the thread's end", `int main(void) { pthread_key_create(&k, d); pthread_create(&t, 0, set, 0); pthread_key_delete(k); pthread_join(t, 0); assert(!ran); }`, "assertion"},
	{"a key deleted before it is used", `
static void *f(void *a) { assert(!pthread_setspecific(k, &ran)); return a; }
int main(void) { pthread_key_create(&k, 0); pthread_create(&t, 0, f, 0); pthread_key_delete(k); pthread_join(t, 0); }`, "assertion"},
	{"the keys' order", `
static pthread_key_t key[2];
static void *f(void *a) { pthread_key_create(a, 0); return a; }
int main(void) { pthread_create(&t, 0, f, key); pthread_create(&u, 0, f, key + 1); pthread_join(t, 0); pthread_join(u, 0); assert(key[0] < key[1]); }`, "assertion"},
	{"two keys deleted while one is made", `
static pthread_key_t key[3];
static void *f(void *a) { pthread_key_delete(key[0]); pthread_key_delete(key[1]); return a; }
int main(void) { for (int i = 0; i < 2; i++) pthread_key_create(key + i, 0); pthread_create(&t, 0, f, 0); pthread_key_create(key + 2, 0); pthread_join(t, 0); assert(key[2] != key[1]); }`, "assertion"},
	{"destructors that write to one variable", `
static void add(void *p) { int n = ran; ran = n + 1; }
static void *f(void *a) { __cxa_thread_atexit_impl(add, 0, &__dso_handle); return a; }
int main(void) { pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); assert(ran == 2); }`, "assertion"},
	{"a thread in a destructor isn't over", `
static sem_t s;
static void post(void *p) { sem_post(&s); }
int main(void) { pthread_key_create(&k, post); pthread_create(&t, 0, set, 0); sem_wait(&s); assert(!pthread_tryjoin_np(t, 0)); }`, "assertion"},
	{"destructors are over when the thread is joined", `
int main(void) { void *p; pthread_create(&t, 0, at_exit, seen); pthread_create(&u, 0, at_exit, seen + 1); pthread_join(t, 0); pthread_join(u, &p); assert(p == seen + 1 && seen[0] && seen[1]); }`, "verified"},
}

// TestOver: keys and destructors of threads, by a search and by none.
func TestOver(t *testing.T) {
	t.Parallel()
	for _, p := range overs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			endsAs(t, onProgram(compile.Text(t, "gcc", overHead+p.source)), p.want, "optimal", "none")
		})
	}
}

// TestOverLoads: the first thread ends, for which glibc loads a library and holds the dynamic
// linker's locks, while another creates a thread, for which glibc takes one of them.
func TestOverLoads(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "gcc", overHead+`
static pthread_mutex_t m;
static int n;
static void add(void *p) { __atomic_fetch_add(&n, 1, 5); }
static void *tiny(void *a) { __atomic_fetch_add(&n, 0, 5); pthread_setspecific(k, a); pthread_exit(a); }
static void *f(void *a) { pthread_mutex_lock(&m); add(a); pthread_create(&u, 0, tiny, &n); pthread_join(u, 0); pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_key_create(&k, add); pthread_create(&t, 0, f, 0); __cxa_thread_atexit_impl(add, 0, &__dso_handle); add(0); pthread_exit(0); }`, compile.Dynamic, "-O2"))
	c.PP = trace.MemPoints
	endsAs(t, c, "verified", "optimal")
}

// TestUnwindTables: the process's end takes tables from a static program's unwinder, while a thread
// searches them for its clean-up. Both take a mutex of libgcc's, which isn't misused; that the
// search then finds nothing, and aborts, depends on how the compiler links.
func TestUnwindTables(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "gcc", overHead+`
#include <stdlib.h>
#include <unistd.h>
static void said(void) { write(1, "x", 1); }
static void undo(void *p) { __atomic_fetch_add(&ran, 1, 5); }
static void *f(void *a) { pthread_cleanup_push(undo, 0); pthread_exit(a); pthread_cleanup_pop(0); return a; }
int main(void) { atexit(said); pthread_create(&t, 0, f, 0); pthread_detach(t); exit(0); }`))
	c.PP, c.MaxExecutions, c.KeepGoing = trace.MemPoints, 400, true
	for _, c.Search = range []string{"none", "optimal"} {
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range r.Bugs {
			if b.Kind != trace.Assertion {
				t.Errorf("search %s: %s: %s", c.Search, b.Kind, b.Message)
			}
		}
	}
}

// TestUnwindFinds: a static program's first search of the unwinder's sorts all tables by its own code, a
// million instructions. landgo answers it.
func TestUnwindFinds(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "gcc", overHead+`
static void undo(void *p) { __atomic_fetch_add(&ran, 1, 5); }
static void *f(void *a) { pthread_cleanup_push(undo, 0); for (;;) pthread_testcancel(); pthread_cleanup_pop(0); return a; }
int main(void) { pthread_create(&t, 0, f, 0); pthread_cancel(t); void *end; pthread_join(t, &end); assert(ran == 1 && end == PTHREAD_CANCELED); }`))
	c.MaxExecutions = 1
	r := runOf(t, c)
	if r.Executions != 1 || r.Bug != nil || r.Instructions == 0 || r.Instructions > 200_000 {
		t.Errorf("%s (%s): %d executions, %d instructions", r.Verdict, r.Reason, r.Executions, r.Instructions)
	}
}

// TestUnwindFindsAlone: exit takes the tables away while a cancelled std::thread's end isn't over for
// the kernel. Then each search of them is a step of its own, which landgo answers too.
func TestUnwindFindsAlone(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "g++", `
#include <pthread.h>
#include <thread>
#include <unistd.h>
int main() { std::thread t([] { for (;;) pause(); }); pthread_cancel(t.native_handle()); t.join(); }`))
	c.MaxExecutions = 1000
	if r := runOf(t, c); r.Verdict != result.Verified || r.Instructions > 4_000_000 {
		t.Errorf("%s (%s): %d executions, %d instructions", r.Verdict, r.Reason, r.Executions, r.Instructions)
	}
}

// TestLoadsUnwinder: two threads end through clean-ups, for which glibc loads a library in a dynamic
// program. That is one step of the first, so that there is no more to search than in a static one.
func TestLoadsUnwinder(t *testing.T) {
	t.Parallel()
	source := overHead + `
static void undo(void *p) { __atomic_fetch_add(&ran, 1, 5); }
static void *f(void *a) { pthread_cleanup_push(undo, 0); pthread_exit(a); pthread_cleanup_pop(0); return a; }
int main(void) { pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); pthread_join(u, 0); assert(ran == 2); }`
	c := onProgram(compile.Text(t, "gcc", source, compile.Dynamic))
	c.MaxExecutions = 1000
	endsAs(t, c, "verified", "optimal")
}

// TestSignalAtWait: a signal comes while a thread waits for another, or when it is over.
func TestSignalAtWait(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "gcc", overHead+`
static void on(int n) { ran = 1; }
static void *child(void *a) { return a; }
static void *f(void *a) { pthread_create(&u, 0, child, 0); pthread_join(u, 0); return a; }
int main(void) { signal(SIGUSR1, on); pthread_create(&t, 0, f, 0); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(ran); }`))
	endsAs(t, c, "assertion", "optimal", "none")
}
