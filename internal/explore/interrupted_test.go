package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// interruptedHead begins each program of TestInterruptedWaits. HANDLE installs h.
const interruptedHead = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>
#define GO(t, f) pthread_t t; pthread_create(&t, 0, f, 0)
#define HANDLE(sig, f, fl) do { struct sigaction sa = {0}; sa.sa_handler = f; sa.sa_flags = fl; sigaction(sig, &sa, 0); } while (0)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t b;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s, s2;
static volatile int n, go, r, x;
static void h(int g) { n = n + 1; }
static void post(int g) { sem_post(&s2); }
static struct timespec far = {2000000000, 0};
#define END(a) (getppid(), a) // a signal on its way comes by then
`

// interrupted has programs in which a signal finds a thread in a wait, with what a
// machine shows. musl is the result there, if that is another one.
var interrupted = []struct{ name, source, want, musl string }{
	{"cond", `
static void *user(void *a) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return END(a); }
int main(void) {
	HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1);
	pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	{"cond with a deadline", `
static void *user(void *a) { pthread_mutex_lock(&m); while (!go) if (pthread_cond_timedwait(&c, &m, &far)) assert(0); pthread_mutex_unlock(&m); return END(a); }
int main(void) {
	HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1);
	pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	{"cond whose deadline passes after a handler", `
static void *user(void *a) { pthread_mutex_lock(&m); int e = pthread_cond_timedwait(&c, &m, &(struct timespec){1, 0}); assert(e == ETIMEDOUT); pthread_mutex_unlock(&m); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "verified", ""},
	// The handler doesn't return before the signal to the condition variable.
	{"cond signalled during the handler", `
static void wait(int g) { while (!x) ; }
static void *user(void *a) { pthread_mutex_lock(&m); go = 1; pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return a; }
int main(void) {
	HANDLE(SIGUSR1, wait, 0); GO(t, user);
	pthread_mutex_lock(&m); int g = go; pthread_mutex_unlock(&m);
	if (!g) { x = 1; _exit(0); }
	pthread_kill(t, SIGUSR1); pthread_cond_signal(&c); x = 1; pthread_join(t, 0); }`, "verified", ""},
	{"cond broadcast and nested handlers", `
static void *user(void *a) { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return END(a); }
int main(void) {
	HANDLE(SIGUSR1, h, 0); HANDLE(SIGUSR2, h, 0); GO(t, user);
	pthread_kill(t, SIGUSR1); pthread_kill(t, SIGUSR2);
	pthread_mutex_lock(&m); go = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); assert(n >= 1 && n <= 2); }`, "verified", ""},
	{"barrier", `
static void *user(void *a) { pthread_barrier_wait(&b); pthread_barrier_wait(&b); return END(a); }
int main(void) {
	pthread_barrier_init(&b, 0, 2); HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1);
	pthread_barrier_wait(&b); pthread_barrier_wait(&b); pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	// Main passes the barrier while the handler runs: what the handler wrote late it
	// doesn't see. The other way is possible too.
	{"barrier passed while a handler runs", `
static void late(int g) { x = 1; }
static void *user(void *a) { pthread_barrier_wait(&b); return a; }
static void *sender(void *a) { pthread_kill(*(pthread_t *)a, SIGUSR1); return a; }
int main(void) {
	pthread_barrier_init(&b, 0, 2); HANDLE(SIGUSR1, late, 0); GO(t, user); pthread_t u; pthread_create(&u, 0, sender, &t);
	x = 2; pthread_barrier_wait(&b); assert(x == 2); pthread_join(u, 0); pthread_join(t, 0); }`, "assertion", ""},
	{"mutex, read-write lock, join", `
static void *none(void *a) { return a; }
static void *user(void *a) {
	pthread_mutex_lock(&m); pthread_mutex_unlock(&m); assert(!pthread_rwlock_wrlock(&w)); pthread_rwlock_unlock(&w);
	GO(t, none); assert(!pthread_join(t, 0)); return END(a); }
int main(void) {
	HANDLE(SIGUSR1, h, 0); pthread_mutex_lock(&m); pthread_rwlock_rdlock(&w); GO(t, user); pthread_kill(t, SIGUSR1);
	pthread_mutex_unlock(&m); pthread_rwlock_unlock(&w); pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	{"sem is interrupted", `
static void *user(void *a) { assert(!sem_wait(&s)); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "assertion", ""},
	{"sem isn't asleep yet", `
static void *user(void *a) { assert(sem_wait(&s) && errno == EINTR); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "assertion", ""},
	{"sem tries again", `
static void *user(void *a) { while (sem_wait(&s)) assert(errno == EINTR); return END(a); }
int main(void) { HANDLE(SIGUSR1, h, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); assert(n == 1); int v; sem_getvalue(&s, &v); assert(v == 0); }`, "verified", ""},
	{"sem with SA_RESTART", `
static void *user(void *a) { assert(!sem_wait(&s)); return a; }
int main(void) { HANDLE(SIGUSR1, h, SA_RESTART); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "verified", ""},
	{"sem with a deadline and SA_RESTART", `
static void *user(void *a) { assert(!sem_timedwait(&s, &far)); return a; }
int main(void) { HANDLE(SIGUSR1, h, SA_RESTART); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "assertion", "verified"},
	{"sem with a deadline, and another handler without SA_RESTART", `
static void *user(void *a) { assert(!sem_timedwait(&s, &far)); return a; }
int main(void) { HANDLE(SIGUSR1, h, SA_RESTART); HANDLE(SIGUSR2, h, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "assertion", ""},
	{"sem posted before the signal", `
static void *user(void *a) { assert(!sem_wait(&s)); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); sem_init(&s, 0, 0); GO(t, user); sem_post(&s); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "verified", ""},
	{"sem posted before the signal, for the other sleeper", `
static void *user(void *a) { assert(!sem_wait(&s)); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); sem_init(&s, 0, 0); GO(t, user); GO(u, user); sem_post(&s); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); pthread_join(u, 0); }`, "assertion", ""},
	{"a handler that posts to another", `
static void *user(void *a) { while (sem_wait(&s)) ; return a; }
int main(void) { HANDLE(SIGUSR1, post, 0); sem_init(&s, 0, 0); sem_init(&s2, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); assert(!sem_wait(&s2)); sem_post(&s); pthread_join(t, 0); }`, "verified", ""},
	{"a handler that posts to its own thread", `
static void mine(int g) { sem_post(&s); }
static void *user(void *a) { while (sem_wait(&s)) ; return a; }
int main(void) { HANDLE(SIGUSR1, mine, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "verified", ""},
	{"a jump out of a condition variable's wait", `
static sigjmp_buf back;
static void out(int g) { if (go == 1) siglongjmp(back, 1); }
static void *user(void *a) { pthread_mutex_lock(&m); if (!sigsetjmp(back, 1)) { go = 1; while (!x) pthread_cond_wait(&c, &m); } go = 2; pthread_mutex_unlock(&m); return a; }
int main(void) { HANDLE(SIGUSR1, out, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_mutex_lock(&m); x = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); }`, "invalid", ""},
	{"a jump out of a semaphore's wait", `
static sigjmp_buf back;
static void out(int g) { if (go == 1) siglongjmp(back, 1); }
static void *user(void *a) { if (!sigsetjmp(back, 1)) { go = 1; while (sem_wait(&s)) ; } go = 2; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return a; }
int main(void) { HANDLE(SIGUSR1, out, 0); sem_init(&s, 0, 0); GO(t, user); pthread_kill(t, SIGUSR1); sem_post(&s); pthread_join(t, 0); }`, "verified", ""},
	{"an alternate stack", `
static char stack[16384];
static void *user(void *a) {
	stack_t k = {.ss_sp = stack, .ss_size = sizeof stack}; sigaltstack(&k, 0);
	pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return END(a); }
static void lock(int g) { pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&l); n = n + 1; pthread_mutex_unlock(&l); }
int main(void) {
	HANDLE(SIGUSR1, lock, SA_ONSTACK); GO(t, user); pthread_kill(t, SIGUSR1);
	pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	{"nanosleep is interrupted", `
static void *user(void *a) { struct timespec t = {5, 0}, l = {0, 0}; x = 1; int e = nanosleep(&t, &l); if (e) { assert(errno == EINTR && (l.tv_sec || l.tv_nsec) && l.tv_sec < 5); r = 1; } return a; }
int main(void) { HANDLE(SIGUSR1, h, SA_RESTART); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(!r); }`, "assertion", ""},
	{"nanosleep isn't begun yet", `
static void *user(void *a) { struct timespec t = {5, 0}; r = nanosleep(&t, 0); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(r); }`, "assertion", ""},
	// The handler comes after the store and before the sleep.
	{"a signal between a store and a sleep", `
static void look(int g) { n = x; }
static void *user(void *a) { x = 1; r = usleep(1000); return a; }
int main(void) { HANDLE(SIGUSR1, look, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(!(n == 1 && r == 0)); }`, "assertion", ""},
	{"usleep, sleep, poll, select", `
static void *user(void *a) { int e;
	switch (x) { case 0: e = usleep(5); break; case 1: e = sleep(9) == 0 ? 0 : -1; if (e) errno = EINTR; break; case 2: e = poll(0, 0, 7); break; default: { struct timeval v = {1, 0}; e = select(0, 0, 0, 0, &v); } }
	assert(!e || errno == EINTR); if (e) r = 1; return a; }
static void choose(void) { x = go; go = go + 1; }
int main(void) { HANDLE(SIGUSR1, h, 0); for (int i = 0; i < 4; i++) { r = 0; choose(); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); if (r) go = go + 16; } assert(go < 4 + 16); }`, "assertion", ""},
	{"a sleep until a time", `
static void *user(void *a) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); t.tv_sec++; while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0) == EINTR) r = 1; return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); assert(!r); }`, "assertion", ""},
	{"the rest of a sleep", `
static void *user(void *a) { struct timespec t = {1, 0}; int e; while ((e = nanosleep(&t, &t)) && errno == EINTR) ; assert(!e); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "verified", ""},
	{"a poll that has no end", `
static void *user(void *a) { assert(poll(0, 0, -1) == -1 && errno == EINTR); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "deadlock", ""},
	{"a sleep that polls", `
static void *user(void *a) { while (!go) usleep(1); return END(a); }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); go = 1; pthread_join(t, 0); assert(n == 1); }`, "verified", ""},
	{"a creation's name is stored after a handler", `
static pthread_t id;
static void *none(void *a) { x = pthread_equal(id, pthread_self()); return a; }
static void *user(void *a) { pthread_create(&id, 0, none, 0); pthread_t k = id; pthread_join(k, 0); return a; }
int main(void) { HANDLE(SIGUSR1, h, 0); GO(t, user); pthread_kill(t, SIGUSR1); pthread_join(t, 0); }`, "verified", ""},
}

// TestInterruptedWaits: a wait that a signal interrupts goes on where it was, or ends
// with EINTR, as on a machine; by default and with no reduction.
func TestInterruptedWaits(t *testing.T) {
	t.Parallel()
	for i, p := range interrupted {
		for _, cc := range libraries(i) {
			t.Run(p.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				want := p.want
				if cc == "musl-gcc" && p.musl != "" {
					want = p.musl
				}
				bin := compile.Text(t, cc, interruptedHead+p.source)
				second := "none"
				switch p.name {
				case "cond broadcast and nested handlers", "a jump out of a semaphore's wait", "an alternate stack", "barrier",
					"sem posted before the signal, for the other sleeper", "a sleep that polls", "the rest of a sleep",
					"a creation's name is stored after a handler":
					second = "sleep" // without a reduction they are thousands
				}
				cfg := onProgram(bin)
				if p.name == "cond whose deadline passes after a handler" && cc == "musl-gcc" {
					// Of musl's own code for it there are 187,408 executions.
					cfg.PP, cfg.Bounds, cfg.Deepen = trace.MemPoints, por.Bounds{{Measure: por.Preempt, Limit: 2}}, false
					endsAs(t, cfg, string(result.Bounded), "bounded", "bpor")
					return
				}
				endsAs(t, cfg, want, "optimal", second)
			})
		}
	}
}
