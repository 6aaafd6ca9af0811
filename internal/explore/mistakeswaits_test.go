package explore

// waitMistakes are mistakes about conditions, semaphores, signals, joins and barriers.
var waitMistakes = []mistake{
	{"a semaphore under a lock", `#include <semaphore.h>
static sem_t s; A { LOCK(m);
sem_wait(&s); UNLOCK(m); return p; }
B { LOCK(m); x++; UNLOCK(m);
sem_post(&s); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 waits for s (guest.c:22) while it holds m (guest.c:21), and thread 0.2 needs that (guest.c:23) before it posts s (guest.c:24)"}, ""},
	{"a semaphore that another thread posts", `#include <semaphore.h>
static sem_t s; A { LOCK(m); sem_wait(&s); UNLOCK(m); return p; }
B { LOCK(m); x++; UNLOCK(m); return p; }
C { if (!z++) sem_post(&s); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); GO(c); if (z++) sem_post(&s); JOIN(a); JOIN(b); JOIN(c); unused(); }`, nil, ""},
	{"a semaphore that was posted before the lock", `#include <semaphore.h>
static sem_t s; A { sem_post(&s); LOCK(m); x++; UNLOCK(m); return p; }
B { LOCK(m); int none = !x; if (none) sem_wait(&s); sem_wait(&s); UNLOCK(m); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a monitor in a monitor", `A { LOCK(n);
LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); UNLOCK(n); return p; }
B { LOCK(n);
LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); UNLOCK(n); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 waits for q (guest.c:22) while it holds n (guest.c:20), and thread 0.2 needs that (guest.c:23) before it signals q (guest.c:24)"}, ""},
	{"a join under a lock", `A {
LOCK(m); x++; UNLOCK(m); return p; }
MAIN { GO(a);
LOCK(m);
JOIN(a); UNLOCK(m); unused(); }`, []string{"Thread 0 waits for thread 0.1 to end (guest.c:24) while it holds m (guest.c:23), and thread 0.1 needs that to go on (guest.c:21)"}, ""},
	{"work that is left at the end", `A { for (;;) { LOCK(m); while (!x && !y) pthread_cond_wait(&q, &m);
if (y) { UNLOCK(m); return p; }
x--; z++; UNLOCK(m); } }
MAIN { GO(a); LOCK(m);
x++; pthread_cond_signal(&q); UNLOCK(m);
LOCK(m); y = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); assert(z == 1); unused(); }`, []string{"Thread 0.1 ends when it finds 1 in y (guest.c:21). What thread 0 has put into x before (guest.c:24) is left there; in a run that passes thread 0.1 takes it (guest.c:22)"}, ""},
	{"no work is left at the end", `A { for (;;) { LOCK(m); while (!x && !y) pthread_cond_wait(&q, &m);
if (!x) { UNLOCK(m); return p; }
x--; z += !y; UNLOCK(m); } }
MAIN { GO(a); LOCK(m);
x++; pthread_cond_signal(&q); UNLOCK(m);
LOCK(m); y = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); assert(z == 1); unused(); }`, nil, ""},
	{"a signal too early", `A { LOCK(m);
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m);
pthread_cond_signal(&q); UNLOCK(m); JOIN(a); unused(); }`, []string{"Thread 0 signals q (guest.c:23) before thread 0.1 waits for it (guest.c:21)", "lost"}, ""},
	{"a signal before pause", `static void h(int s) {
x = s; }
A { pthread_t *t = p;
pthread_kill(*t, SIGUSR1); return p; }
MAIN { pthread_t own = pthread_self(), t; signal(SIGUSR1, h); pthread_create(&t, 0, a, &own);
if (!x)
pause(); pthread_join(t, 0); unused(); }`, []string{"Thread 0 tests x (guest.c:25), then thread 0.1's signal comes (guest.c:23) and its handler changes x (guest.c:21), then thread 0 waits (guest.c:26)", "sigsuspend"}, ""},
	{"no signal at all", `static void h(int s) {
x = s; }
MAIN { signal(SIGUSR1, h); if (!x)
pause(); unused(); }`, nil, ""},
	{"a signal that was waited for, and no other", `static void h(int s) {
x = s; }
A { pthread_t *t = p;
pthread_kill(*t, SIGUSR1); return p; }
MAIN { pthread_t own = pthread_self(), t; sigset_t s, old; sigemptyset(&s); sigaddset(&s, SIGUSR1);
signal(SIGUSR1, h); sigprocmask(SIG_BLOCK, &s, &old); pthread_create(&t, 0, a, &own);
while (!x)
sigsuspend(&old);
sigsuspend(&old); pthread_join(t, 0); unused(); }`, nil, ""},
	{"never a signal", `A { LOCK(m);
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, nil, ""},
	{"a signal to another", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
B { LOCK(m); while (!y)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); x = 1;
pthread_cond_signal(&q); UNLOCK(m); JOIN(a); unused(); }`, []string{"Thread 0's signal (guest.c:25) wakes thread 0.2, not thread 0.1", "Broadcast"}, ""},
	{"a flag without the mutex", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a);
x = 1;
pthread_cond_signal(&q); JOIN(a); unused(); }`, []string{"Thread 0 changes x (guest.c:23) without m and signals q (guest.c:24), after thread 0.1 has tested it (guest.c:20) and before thread 0.1 waits", "Change it under m"}, ""},
	{"a flag without the mutex, and others with it", `A { LOCK(m); while (y || !x)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); y = 1; UNLOCK(m); LOCK(m); y = 0; UNLOCK(m);
x = 1;
pthread_cond_signal(&q); JOIN(a); unused(); }`, []string{"changes x (guest.c:23) without m and signals q (guest.c:24)"}, "thread 0 changes x (guest.c:23) after thread 0.1's read (guest.c:20), and before that thread went on"},
	{"a flag set after its signal", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); pthread_cond_signal(&q);
x = 1; JOIN(a); unused(); }`, []string{"Thread 0 signals q (guest.c:22) before thread 0.1 waits for it (guest.c:21)", "lost"}, ""},
	{"taken again before the woken thread runs", `A { LOCK(m);
if (!x)
pthread_cond_wait(&q, &m);
assert(x); UNLOCK(m); return p; }
B { LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); LOCK(m); x = 0; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(b); LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); unused(); }`, []string{"Thread 0.1 is woken, and goes on though x, which it tested before it waited (guest.c:21), is again as it was then", "`while`"}, ""},
	{"a loop that a compiler turned round", `static int waits;
static void __attribute__((optimize("O2"))) take(void) { LOCK(m); waits++;
while (!x)
pthread_cond_wait(&q, &m);
x = 0; UNLOCK(m); }
static void give(void) { LOCK(m); x = 1; pthread_cond_broadcast(&q); UNLOCK(m); }
A { take(); give(); return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0);
for (int n = 0; n < 2; ) { LOCK(m); n = waits; UNLOCK(m); }
give(); JOIN(a); JOIN(b); assert(y); unused(); }`, nil, ""},
	{"one of two tested has changed", `A { LOCK(m);
if (x == y) do
pthread_cond_wait(&q, &m); while (x == y);
UNLOCK(m); assert(!z); return p; }
B { LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); z = 1; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"if for while", `A { LOCK(m);
if (!x) { y = 1;
pthread_cond_wait(&q, &m); }
assert(x); x = x - 1; UNLOCK(m); return p; }
B { LOCK(m);
x = x - 1; UNLOCK(m); return p; }
C { LOCK(m);
if (x && y) x = 0; UNLOCK(m); return p; }
MAIN { GO(a); GO(c); LOCK(m); x = 1;
pthread_cond_signal(&q); UNLOCK(m); JOIN(a); JOIN(c); (void)b; unused(); }`, []string{"Thread 0.1 is woken", "x, which it tested before it waited (guest.c:21)", "thread 0.2 has changed that (guest.c:27)", "while"}, ""},
	{"a signal behind the unlock", `static void *get(void *p) { LOCK(m);
if (!x)
pthread_cond_wait(&q, &m);
assert(x); x--; UNLOCK(m); return p; }
MAIN { pthread_t a_, b_; pthread_create(&a_, 0, get, 0); pthread_create(&b_, 0, get, 0);
for (int i = 0; i < 2; i++) { LOCK(m); x++; UNLOCK(m); pthread_cond_signal(&q); }
JOIN(a); JOIN(b); unused(); }`, []string{"is woken, and goes on without another look at x, which it tested before it waited (guest.c:21)", "while"}, ""},
	{"a signal behind the unlock, and a loop", `static void *get(void *p) { LOCK(m);
while (!x)
pthread_cond_wait(&q, &m);
x--; UNLOCK(m); assert(y == 0); return p; }
MAIN { pthread_t a_, b_; pthread_create(&a_, 0, get, 0); pthread_create(&b_, 0, get, 0);
for (int i = 0; i < 2; i++) { LOCK(m); x++; UNLOCK(m); pthread_cond_signal(&q); }
y = 1; JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"one item for two", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m);
x--; UNLOCK(m); return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"another thread goes on without a look", `A { LOCK(m); if (!x)
pthread_cond_wait(&q, &m); x--; y = x < 0; UNLOCK(m); return p; }
B { LOCK(m); if (x)
x = 0; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(b); LOCK(m); x++; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); assert(!y); unused(); }`, []string{"Thread 0.1 is woken, and goes on without another look at x", "(guest.c:20)", "(guest.c:23)", "loop"}, ""},
	{"a count of waiters that is read before the lock", `A { LOCK(m); while (!x) { y++;
pthread_cond_wait(&q, &m); y--; } UNLOCK(m); return p; }
B { int waits = y;
LOCK(m); x = 1; if (waits) pthread_cond_signal(&q); UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads y (guest.c:22) before it takes m (guest.c:23), under which thread 0.1 changes it (guest.c:20)"}, ""},
	{"a loop that waits for an ended thread", `A {
z = 1; return p; }
B {
while (z); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, "thread 0.2 waits for z to change (guest.c:23), which thread 0.1 has set to 1 (guest.c:21) before it ended"},
	{"a barrier without rounds", `static void meet(void) { LOCK(m); if (++x == 2) {
x = 0; pthread_cond_broadcast(&q); } else while (x)
pthread_cond_wait(&q, &m); UNLOCK(m); }
A { meet(); meet(); return p; }
MAIN { GO(a); meet(); meet(); JOIN(a); unused(); }`, []string{"wakes thread 0", "changes x again (guest.c:20) before that has looked at it (guest.c:21)", "Count the rounds"}, ""},
	{"a broadcast whose item another one takes", `static void *get(void *p) { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); x--; UNLOCK(m); return p; }
MAIN { pthread_t a_, b_; pthread_create(&a_, 0, get, 0); pthread_create(&b_, 0, get, 0); LOCK(m); x++; pthread_cond_broadcast(&q); UNLOCK(m); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a mark taken back after the last look", `A { z = 1; for (;;) { LOCK(m);
int n = x; x = 0; UNLOCK(m); y += n; if (!n) break; }
z = 0; return p; }
MAIN { x = 1; GO(a); LOCK(m);
x++; UNLOCK(m);
int at = atomic_exchange(&z, 1); JOIN(a); assert(!at || y == 2); unused(); }`, []string{"changes x (guest.c:24) and finds z set (guest.c:25)", "looked for the last time (guest.c:21)", "takes z back only then (guest.c:22)", "Look again"}, ""},
	{"a mark taken back before the last look", `A { z = 1; z = 0; LOCK(m); int n = x; x = 0; UNLOCK(m); y += n; return p; }
MAIN { x = 1; GO(a); LOCK(m); x++; UNLOCK(m); int at = atomic_exchange(&z, 1); JOIN(a); assert(!at || y == 1); unused(); }`, nil, ""},
	{"a post before the write", `#include <semaphore.h>
static sem_t s; static volatile int v[2];
A {
sem_post(&s);
v[1] = 4; return p; }
MAIN { sem_init(&s, 0, 0); GO(a);
sem_wait(&s);
assert(v[1] == 4); JOIN(a); unused(); }`, []string{"posts s (guest.c:23) before it writes v[1] (guest.c:24)", "waited for that (guest.c:26), reads it (guest.c:27)", "Post after the write"}, ""},
	{"a post for another write", `#include <semaphore.h>
static sem_t s;
A { x = 1; sem_post(&s); LOCK(m); y = 4; UNLOCK(m); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); sem_wait(&s); LOCK(m); int v = y; UNLOCK(m); assert(x && v); JOIN(a); unused(); }`, nil, ""},
	{"a thread that is woken, and hasn't gone on", `static void __attribute__((noinline, optimize("no-optimize-sibling-calls"))) sleeps(void) { pthread_cond_wait(&q, &m); }
A { LOCK(m); z = 1; while (!x) sleeps(); x = 0; UNLOCK(m); return p; }
B { LOCK(m); if (x) { x = 0; y = 1; } UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); int w = z; x = 1; pthread_cond_signal(&q);
UNLOCK(m); LOCK(m); int v = x; UNLOCK(m); assert(v || !y || !w); JOIN(b); unused(); }`, nil, ""},
	{"a second wait for what another thread doesn't do", `A { LOCK(n); x--; UNLOCK(n); LOCK(m); pthread_cond_signal(&q); UNLOCK(m); return p; }
MAIN { x = 2; GO(a); LOCK(m); while (x) pthread_cond_wait(&q, &m); UNLOCK(m); JOIN(a); unused(); }`, nil, ""},
}
