package explore

import (
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/part"
)

const lastingHead = `
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static sem_t s; static int flag;
static struct timespec in(int ms) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000; t.tv_nsec %= 1000000000;
	return t;
}
static int locks(int ms) { struct timespec t = in(ms); int r = pthread_mutex_timedlock(&m, &t); if (!r) pthread_mutex_unlock(&m); return r; }
#define ADD(n) __atomic_fetch_add(&flag, n, __ATOMIC_SEQ_CST)
#define HOLD(for) pthread_mutex_lock(&m); for; pthread_mutex_unlock(&m);
`

// Programs in which a thread sleeps for longer than another one waits, or not. What they print on a
// processor is first of the outputs.
var lastingPrograms = []struct{ name, sleeps, waits, outputs string }{
	{"a lock", `HOLD(usleep(100000))`, `puts(locks(10) ? "out" : "got");`, "out got"},
	{"as long", `HOLD(usleep(100000))`, `puts(locks(100) ? "out" : "got");`, "out got"},
	{"a shorter sleep", `HOLD(usleep(10000))`, `puts(locks(100) ? "out" : "got");`, "got"},
	{"a lock, again and again", `HOLD(usleep(100000))`, `int n = 0; while (n < 5 && locks(10)) n++; printf("%d\n", n);`, "5 2 1 0"},
	{"a lock by poll", `HOLD(poll(0, 0, 100))`, `puts(locks(10) ? "out" : "got");`, "out got"},
	{"until a time", `struct timespec t = in(100); HOLD(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, 0))`, `puts(locks(10) ? "out" : "got");`, "out got"},
	{"a condition", `usleep(100000); HOLD(flag = 1; pthread_cond_signal(&c))`, `
		struct timespec t = in(10); int r = 0;
		HOLD(while (!flag && !r) r = pthread_cond_timedwait(&c, &m, &t))
		puts(r ? "out" : "got");`, "out got"},
	{"a semaphore", `usleep(100000); sem_post(&s);`, `struct timespec t = in(10); puts(sem_timedwait(&s, &t) ? "out" : "got");`, "out got"},
	{"a futex", `usleep(100000); __atomic_store_n(&flag, 1, __ATOMIC_SEQ_CST); syscall(SYS_futex, &flag, FUTEX_WAKE, 1);`, `
		struct timespec t = {0, 10000000};
		puts(syscall(SYS_futex, &flag, FUTEX_WAIT, 0, &t) && errno == ETIMEDOUT ? "out" : "got");`, "out got"},
	{"the rest of a sleep", `HOLD(usleep(100000); ADD(1))`, `
		int out = locks(10) != 0, first = ADD(2), second = ADD(2);
		printf("%d%d%d\n", out, first, second);`, "102 103 113 002 003 013"},
}

// Programs in which two threads wait for the same time, after the function before() of the first one, for what
// never comes.
var togetherPrograms = []struct{ name, before, waits, outputs string }{
	{"a semaphore", "", `struct timespec t = in(10); if (sem_timedwait(&s, &t)) flag++;`, "2 1"},
	{"a lock", `pthread_mutex_lock(&m);`, `if (locks(10)) flag++;`, "2 1"},
	{"a futex", "", `struct timespec t = {0, 10000000}; static int never; if (syscall(SYS_futex, &never, FUTEX_WAIT, 0, &t)) flag++;`, "2 1"},
	{"a futex and a semaphore", "", `
		struct timespec t = {0, 10000000}, end = in(10); static int never;
		if (ADD(0x100) < 0x100 ? syscall(SYS_futex, &never, FUTEX_WAIT, 0, &t) : sem_timedwait(&s, &end)) flag++;`, "514 513"},
	{"a condition that the first sets", "", `
		static int set; struct timespec t = in(10); int r = 0;
		HOLD(while (!set && !r) r = pthread_cond_timedwait(&c, &m, &t); if (r) { flag++; set = 1; pthread_cond_broadcast(&c); })`, "1 2"},
	{"one is later", "", `struct timespec t = in(ADD(0x100) < 0x100 ? 10 : 20); if (sem_timedwait(&s, &t)) flag++;`, "514"},
}

// TestTogether: waits that are over at once run out together, or one after the other.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, p := range togetherPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			part.Row(t)
			hasOutputs(t, p.outputs, `
static void *waits(void *a) { `+p.waits+` return a; }
int main(void) {
	pthread_t t, u;
	`+p.before+`
	pthread_create(&t, 0, waits, 0);
	pthread_create(&u, 0, waits, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	printf("%d\n", flag);
	_exit(fflush(stdout));
}`)
		})
	}
}

// TestLasting: a timed wait runs out beside a sleep that is longer, as on a processor, or it doesn't; what a
// reduction leaves out has no other output.
func TestLasting(t *testing.T) {
	t.Parallel()
	for _, p := range lastingPrograms {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			part.Row(t)
			hasOutputs(t, p.outputs, `
static void *sleeps(void *a) { `+p.sleeps+` return a; }
static void *waits(void *a) { `+p.waits+` return a; }
int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, sleeps, 0);
	pthread_create(&u, 0, waits, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}`)
		})
	}
}

// hasOutputs compares what a program prints in some searches.
func hasOutputs(t *testing.T, outputs, source string) {
	t.Helper()
	cfg := onProgram(compile.Text(t, "gcc", lastingHead+source))
	want := strings.Fields(outputs)
	slices.Sort(want)
	for _, search := range []string{"none", "optimal", "stateful", "dpor", "trust"} {
		cfg.Search, cfg.Model = search, config.ModelSC
		r := ran(t, cfg)
		texts, _ := outputsOf(r)
		for i := range texts {
			texts[i] = strings.TrimSpace(texts[i])
		}
		if r.Verdict != "verified" || !slices.Equal(texts, want) {
			t.Errorf("%q: %s, %q in %d executions, want %q", search, r.Verdict, texts, r.Executions, want)
		}
	}
}
