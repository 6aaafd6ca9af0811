package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const returnedHead = `
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <string.h>
#define OWN __attribute__((noinline, noclone)) static
struct job { pthread_mutex_t m; pthread_cond_t c; sem_t s; int done, result; };
static struct job *volatile queue[3];
static sem_t queued, spare;
static pthread_t worker, second;
static volatile int sink;
OWN struct job *take(int i) { sem_wait(&queued); return queue[i]; }
OWN void put(int i, struct job *j) { queue[i] = j; sem_post(&queued); }
`

// returnedCases are programs in which a thread uses variables of another one's function. late is the text of the
// message where it does so after the return, or empty where it never does.
var returnedCases = []struct{ name, late, source string }{
	{"signalled after the unlock", "signals a condition variable on the stack of thread 0, whose function ask has returned", `
static void *work(void *a) {
	struct job *j = take(0);
	pthread_mutex_lock(&j->m);
	j->done = 1;
	pthread_mutex_unlock(&j->m);
	pthread_cond_signal(&j->c);
	return a;
}
OWN void ask(void) {
	struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
	put(0, &j);
	pthread_mutex_lock(&j.m);
	while (!j.done)
		pthread_cond_wait(&j.c, &j.m);
	pthread_mutex_unlock(&j.m);
}
int main(void) { pthread_create(&worker, 0, work, 0); ask(); pthread_join(worker, 0); return 0; }`},
	{"signalled when the first thread may have ended", "signals a condition variable on the stack of thread 0, whose function ask has returned", `
static void *work(void *a) {
	struct job *j = take(0);
	pthread_mutex_lock(&j->m);
	j->done = 1;
	pthread_mutex_unlock(&j->m);
	pthread_cond_signal(&j->c);
	return a;
}
OWN void ask(void) {
	struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
	put(0, &j);
	pthread_mutex_lock(&j.m);
	while (!j.done)
		pthread_cond_wait(&j.c, &j.m);
	pthread_mutex_unlock(&j.m);
}
int main(void) { pthread_create(&worker, 0, work, 0); pthread_detach(worker); ask(); pthread_exit(0); }`},
	{"signalled under the lock", "", `
static void *work(void *a) {
	struct job *j = take(0);
	pthread_mutex_lock(&j->m);
	j->done = 1;
	pthread_cond_signal(&j->c);
	pthread_mutex_unlock(&j->m);
	return a;
}
OWN void ask(void) {
	struct job j = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
	put(0, &j);
	pthread_mutex_lock(&j.m);
	while (!j.done)
		pthread_cond_wait(&j.c, &j.m);
	pthread_mutex_unlock(&j.m);
}
int main(void) { pthread_create(&worker, 0, work, 0); ask(); pthread_join(worker, 0); return 0; }`},
	{"written after the post", "writes 4 bytes on the stack of thread 0, whose function ask has returned", `
static void *work(void *a) {
	struct job *j = take(0);
	sem_post(&j->s);
	j->result = 1;
	return a;
}
OWN void ask(void) { struct job j; sem_init(&j.s, 0, 0); put(0, &j); sem_wait(&j.s); }
int main(void) { pthread_create(&worker, 0, work, 0); ask(); pthread_join(worker, 0); return 0; }`},
	{"given to a thread that isn't waited for", "reads 4 bytes on the stack of thread 0, whose function start has returned", `
static void *work(void *a) { sink = *(int *)a; return 0; }
OWN void start(void) { int id = 1; pthread_create(&worker, 0, work, &id); }
int main(void) { start(); pthread_join(worker, 0); return 0; }`},
	{"referred to by a thread that isn't waited for", "reads 4 bytes on the stack of thread 0, whose function start has returned", `
#include <thread>
OWN void start() { int id = 1; std::thread([&] { sink = id; sem_post(&spare); }).detach(); }
int main() { start(); sem_wait(&spare); }`},
	{"joined before the return", "", `
static void *work(void *a) { sink = *(int *)a; *(int *)a = 2; return 0; }
OWN void start(void) { int id = 1; pthread_create(&worker, 0, work, &id); pthread_join(worker, 0); sink += id; }
int main(void) { start(); start(); return 0; }`},
	{"of a caller that hasn't returned", "", `
static void *work(void *a) { *(int *)a = 2; return 0; }
OWN void start(int *p) { int own = 0; *p = own; pthread_create(&worker, 0, work, p); }
OWN int caller(void) { int v; start(&v); pthread_join(worker, 0); return v; }
int main(void) { return caller() - 2; }`},
	{"of main", "", `
static void *work(void *a) { *(int *)a = 2; return 0; }
int main(void) { int v = 0; pthread_create(&worker, 0, work, &v); pthread_join(worker, 0); return v - 2; }`},
	{"of the next call", "", `
static void *work(void *a) {
	for (int i = 0; i < 3; i++) {
		struct job *j = take(i);
		j->result = i;
		sem_post(&j->s);
	}
	return a;
}
OWN int ask(int i) { struct job j; sem_init(&j.s, 0, 0); put(i, &j); sem_wait(&j.s); return j.result - i; }
int main(void) {
	pthread_create(&worker, 0, work, 0);
	int wrong = ask(0) + ask(1) + ask(2);
	pthread_join(worker, 0);
	return wrong;
}`},
	{"the last post of three is late", "posts a semaphore on the stack of thread 0, whose function ask has returned", `
static void *work(void *a) {
	for (int i = 0; i < 2; i++) {
		struct job *j = take(i);
		j->result = i;
		sem_post(&j->s);
		if (i == 1)
			sem_post(&j->s);
	}
	return a;
}
OWN int ask(int i) { struct job j; sem_init(&j.s, 0, 0); put(i, &j); sem_wait(&j.s); return j.result - i; }
int main(void) {
	pthread_create(&worker, 0, work, 0);
	int wrong = ask(0) + ask(1);
	pthread_join(worker, 0);
	return wrong;
}`},
	{"of a thread's function's callee", "writes 4 bytes on the stack of thread 0.2, whose function ask has returned", `
static void *work(void *a) {
	struct job *j = take(0);
	__atomic_store_n(&j->done, 1, __ATOMIC_RELEASE);
	j->result = 1;
	return a;
}
OWN void ask(void) { struct job j = {.done = 0}; put(0, &j); while (!__atomic_load_n(&j.done, __ATOMIC_ACQUIRE)); }
static void *other(void *a) { ask(); sem_wait(&spare); return a; }
int main(void) {
	pthread_create(&worker, 0, work, 0);
	pthread_create(&second, 0, other, 0);
	pthread_join(worker, 0);
	sem_post(&spare);
	pthread_join(second, 0);
	return 0;
}`},
	{"left by a jump, used no more", "", `
static jmp_buf out;
static void *work(void *a) { struct job *j = take(0); j->result = 1; sem_post(&j->s); return a; }
OWN void ask(void) { struct job j; sem_init(&j.s, 0, 0); put(0, &j); sem_wait(&j.s); longjmp(out, 1); }
int main(void) {
	pthread_create(&worker, 0, work, 0);
	if (!setjmp(out))
		ask();
	pthread_join(worker, 0);
	return 0;
}`},
	{"beneath a coroutine's stack", "", `
#include <ucontext.h>
static ucontext_t own, inner;
static void *work(void *a) { *(volatile int *)a = 1; return 0; }
OWN void deeper(void) { struct job j; sem_init(&j.s, 0, 1); sem_wait(&j.s); pthread_join(worker, 0); }
static void within(void) { deeper(); }
int main(void) {
	struct { volatile int v; char stack[1 << 16]; } all;
	all.v = 0;
	getcontext(&inner);
	inner.uc_stack.ss_sp = all.stack;
	inner.uc_stack.ss_size = sizeof all.stack;
	inner.uc_link = &own;
	makecontext(&inner, within, 0);
	pthread_create(&worker, 0, work, (void *)&all.v);
	swapcontext(&own, &inner);
	return all.v - 1;
}`},
	{"the place is another function's variable", "", `
static void *work(void *a) {
	struct job *j = take(0);
	sem_post(&j->s);
	int *p = (int *)queue[2];
	if (p)
		*p = 1;
	return a;
}
OWN void ask(void) { struct job j; sem_init(&j.s, 0, 0); put(0, &j); sem_wait(&j.s); }
OWN int again(void) { int v[100]; memset(v, 0, sizeof v); queue[2] = (struct job *)&v[50]; pthread_join(worker, 0); return v[50] < 0; }
int main(void) { pthread_create(&worker, 0, work, 0); ask(); return again(); }`},
}

// TestReturned: a use of a function's variable behind the function's return is a bug, which replays; one before it, or
// of what has the place now, is none.
func TestReturned(t *testing.T) {
	t.Parallel()
	for i, c := range returnedCases {
		cc := "gcc"
		if strings.Contains(c.source, "std::") {
			cc = "g++"
		}
		for _, flags := range inTurn(i, "-O1", "-O2", "-O0") {
			t.Run(c.name+" "+flags, func(t *testing.T) {
				t.Parallel()
				part.Row(t)
				bin := compile.Text(t, cc, returnedHead+c.source, flags)
				for _, search := range []string{"optimal", "none", "source", "dpor", "stateful"} {
					cfg := onProgram(bin)
					cfg.Search, cfg.Deepen = search, false
					r, err := Run(context.Background(), cfg, nil)
					if err != nil {
						t.Fatal(err)
					}
					if c.late == "" {
						if r.Verdict != result.Verified {
							t.Errorf("%s: %s %s %s, want verified", search, r.Verdict, r.Reason, bugText(r.Bug))
						}
						continue
					}
					if r.Verdict != result.Buggy || r.Bug.Kind != trace.DeadStack || !strings.Contains(r.Bug.Message, c.late) {
						t.Errorf("%s: %s %s %s, want %q", search, r.Verdict, r.Reason, bugText(r.Bug), c.late)
						continue
					}
					if words := r.Bug.Cause + r.Bug.Passing + r.Bug.Mistake; strings.Contains(words, "block") || !strings.Contains(words, "return") {
						t.Errorf("%s: told as %q", search, words)
					}
					again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
					if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
						t.Errorf("%s: the replay ended so: %v %v", search, again.Verdict, err)
					}
				}
			})
		}
	}
}

func bugText(b *result.Bug) string {
	if b == nil {
		return ""
	}
	return string(b.Kind) + ": " + b.Message
}
