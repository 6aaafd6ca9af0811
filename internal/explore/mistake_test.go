package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// TestMistakes: mistakes of known kinds are named with their lines, and what only looks
// like one isn't.
func TestMistakes(t *testing.T) {
	t.Parallel()
	// A line of each program is a line of its source, the first of them line 20.
	const head = `#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#define LOCK(m) pthread_mutex_lock(&m)
#define UNLOCK(m) pthread_mutex_unlock(&m)
#define A static void *a(void *p)
#define B static void *b(void *p)
#define C static void *c(void *p)
#define GO(f) pthread_t f##_; pthread_create(&f##_, 0, f, 0)
#define JOIN(f) pthread_join(f##_, 0)
#define MAIN int main(void)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t q = PTHREAD_COND_INITIALIZER;
static volatile int x, y; static atomic_int z;
static void unused(void) { (void)m, (void)n, (void)q, (void)x, (void)y, (void)z; }
#line 20
`
	for _, c := range []struct {
		name, source string
		want         []string // parts of the sentence, in order; none: no sentence
		cause        string   // "": any
	}{
		{"lock order", `A {
LOCK(m); x++;
LOCK(n); UNLOCK(n); UNLOCK(m); return p; }
B {
LOCK(n);
LOCK(m); UNLOCK(m); UNLOCK(n); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"different orders", "thread 0.1 takes m (guest.c:21) and then n (guest.c:22)", "thread 0.2 takes n (guest.c:24) and then m (guest.c:25)", "one order"}, ""},
		{"an argument that is changed", `A {
int i = *(volatile int *)p; x |= i; return p; }
MAIN { pthread_t t[2]; int i; for (i = 1; i < 3; i++)
pthread_create(&t[i - 1], 0, a, &i);
for (i = 0; i < 2; i++) pthread_join(t[i], 0);
assert(x == 3); unused(); }`, []string{"Thread 0 creates thread 0.1 (guest.c:23) and changes main::i (guest.c:24) before that has read it (guest.c:21)"}, ""},
		{"a variable that a thread's creator changes under a lock", `A { LOCK(m); y = x; UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); x = 1; UNLOCK(m); JOIN(a); assert(!y); unused(); }`, nil, ""},
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
		{"a look again under the lock", `#include <semaphore.h>
static sem_t s; static void enter(void) { sem_post(&s); if (x < 1) { LOCK(m);
if (x < 1)
x++; UNLOCK(m); } assert(!y); y = x; }
A { enter(); return p; } B { enter(); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a look before the lock, beside a semaphore", `#include <semaphore.h>
static sem_t s; static void enter(void) { sem_post(&s); if (
x < 1) { LOCK(m);
x++; assert(x < 2); UNLOCK(m); } }
A { enter(); return p; } B { enter(); return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads x (guest.c:22) before it takes m (guest.c:22), under which thread 0.1 changes it (guest.c:23)"}, ""},
		{"an object without any lock", `static struct { volatile int n, sum; } s;
static void add(int v) {
s.n++;
s.sum += v; assert(s.sum == s.n); }
A { add(1); return p; } B { add(1); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Threads 0.", "and 0.", "both change s (guest.c:2", "with no lock"}, ""},
		{"an algorithm of flags", `static volatile int flag[2], turn;
static void use(int i) { flag[i] = 1; turn = 1 - i; while (flag[1 - i] && turn == i) ; x++; assert(x == 1); x--; flag[i] = 0; }
A { use(0); return p; } B { use(1); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a signal too early", `A { LOCK(m);
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m);
pthread_cond_signal(&q); UNLOCK(m); JOIN(a); unused(); }`, []string{"Thread 0 signals q (guest.c:23) before thread 0.1 waits for it (guest.c:21)", "lost"}, ""},
		{"a flag that a store buffer holds", `static volatile int k;
B { y = 1; if (!x) k++; return p; }
C { __atomic_exchange_n(&x, 1, 5); if (!y) k++; return p; }
MAIN { GO(c); GO(b); JOIN(c); JOIN(b); assert(k < 2); unused(); }`, nil, ""},
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
		{"no lock", `A {
x++; return p; }
MAIN { GO(a);
x++; JOIN(a); assert(x == 2); unused(); }`, []string{"Nothing keeps thread 0.1's change of x (guest.c:21) from coming between thread 0's read and write of it (guest.c:23)"}, ""},
		{"a lock in one", `A { LOCK(m);
x++; UNLOCK(m); return p; }
MAIN { GO(a);
x++; JOIN(a); assert(x == 2); unused(); }`, []string{"without m, which thread", "If m is what protects x"}, ""},
		{"let go", `A { LOCK(m); int v = x;
UNLOCK(m); LOCK(m);
x = v + 1; UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); x++; UNLOCK(m); JOIN(a); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21) between its two accesses to x (guest.c:20, guest.c:22)"}, ""},
		{"atomic twice", `A { int v = z;
z = v + 1; return p; }
MAIN { GO(a); z++; JOIN(a); assert(z == 2); unused(); }`, []string{"Each access to z is atomic", "(guest.c:20, guest.c:21)"}, ""},
		{"an order that no lock gives", `A { assert(x); return p; }
MAIN { GO(a); x = 1; JOIN(a); unused(); }`, nil, ""},
		{"a read lock", `static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); return p; }
MAIN { GO(a); pthread_rwlock_rdlock(&l); x++; pthread_rwlock_unlock(&l); JOIN(a); assert(x == 2); unused(); }`, []string{"Threads 0 and 0.1 change x (guest.c:22, guest.c:21) while both hold l for reading", "Take it for writing"}, ""},
		{"one item for two", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m);
x--; UNLOCK(m); return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a semaphore for a lock", `#include <semaphore.h>
static sem_t s;
A { sem_wait(&s); x++; sem_post(&s); return p; }
MAIN { sem_init(&s, 0, 1); GO(a); x++; JOIN(a); assert(x == 2); unused(); }`, nil, ""},
		{"a spin lock of one's own", `static atomic_flag f = ATOMIC_FLAG_INIT;
A { while (atomic_flag_test_and_set(&f)) ; x++; atomic_flag_clear(&f); return p; }
MAIN { GO(a); x++; while (atomic_flag_test_and_set(&f)) ; atomic_flag_clear(&f); JOIN(a); assert(x == 2); unused(); }`, nil, ""},
		{"looked at too early", `A { x++; x++; return p; }
MAIN { GO(a); int v = x; assert(v == x || v == 2); JOIN(a); unused(); }`, nil, ""},
		{"looked at, let go, acted on", `static int take(void) { LOCK(m); assert(x); x--; UNLOCK(m); return 0; }
static int some(void) { LOCK(m); int n = x; UNLOCK(m); return n; }
A { if (some()) take(); return p; }
MAIN { x = 1; GO(a); if (some()) take(); JOIN(a); unused(); }`, []string{"releases m (guest.c:21) between its two accesses to x (guest.c:21, guest.c:20)"}, ""},
		{"counted down, and used", `static struct { int refs; pthread_mutex_t m; } *s;
static void put(void) { LOCK(s->m);
s->refs--; UNLOCK(s->m);
LOCK(s->m); int last = s->refs == 0; UNLOCK(s->m); if (last)
free(s); }
A { put(); return p; }
MAIN { s = malloc(sizeof *s); s->refs = 2; pthread_mutex_init(&s->m, 0); GO(a); put(); JOIN(a); unused(); }`, []string{"counts block (allocated at guest.c:26) down (guest.c:22), and uses the block after that (guest.c:23)", "down to 0 (guest.c:22) and frees the block (guest.c:24)", "Look at the count"}, ""},
		{"changed, and freed", `static struct { int level; pthread_mutex_t m; } *s;
A { LOCK(s->m); s->level = 3; UNLOCK(s->m); LOCK(s->m); UNLOCK(s->m); return p; }
B { LOCK(s->m); s->level = 1; UNLOCK(s->m); free(s); return p; }
MAIN { s = malloc(sizeof *s); s->level = 2; pthread_mutex_init(&s->m, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"pointer", "s ("}, ""},
		{"looked at, let go, done twice", `A { LOCK(m); int had = x;
UNLOCK(m); if (!had) { LOCK(m); if (!x) x = 1;
y++; UNLOCK(m); } return p; }
B { return a(p); }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 1); unused(); }`, []string{"releases m (guest.c:21) after it has looked at x, and changes y (guest.c:22) when it has it again", "has done the same (guest.c:22)", "look again"}, ""},
		{"looked at, let go, and another mistake", `A { LOCK(m); int had = x;
UNLOCK(m); y = y + 1; if (!had) { LOCK(m); if (!x) x = 1; UNLOCK(m); } return p; }
B { return a(p); }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 2); unused(); }`, []string{"change of y"}, ""},
		{"unlocked too early", `A { LOCK(m); int v = x;
UNLOCK(m);
x = v + 1; return p; }
MAIN { GO(a); LOCK(m); x++; UNLOCK(m); JOIN(a); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21) before its last access to x there (guest.c:22)", "Unlock after"}, ""},
		{"a block that another thread frees", `static int *volatile b; static volatile int sum;
A { int *n = b; if (n)
sum = *n; return p; }
C { int *n = b; b = 0;
free(n); return p; }
MAIN { b = calloc(1, 4); GO(a); GO(c); JOIN(a); JOIN(c); unused(); }`, []string{"takes the pointer from b (guest.c:21)", "thread 0.2 frees the block (guest.c:24)", "(guest.c:22)", "Hold one lock over both"}, ""},
		{"a pointer that is left behind", `static int *volatile b; static volatile int sum;
A { LOCK(m);
free(b); UNLOCK(m); return p; }
C { LOCK(m); int *n = b;
sum = *n; UNLOCK(m); return p; }
MAIN { b = calloc(1, 4); GO(a); GO(c); JOIN(a); JOIN(c); unused(); }`, []string{"Thread 0.1 frees the block (guest.c:22), and thread 0.2 still finds the pointer in b (guest.c:23)"}, ""},
		{"a free without a join", `A { volatile int *n = p;
return (void *)(long)*n; }
MAIN { int *n = calloc(1, 4); pthread_t a_; pthread_create(&a_, 0, a, n);
free(n); JOIN(a); unused(); }`, []string{"Thread 0 frees the block (guest.c:23) without waiting for thread 0.1", "(guest.c:21)", "Join that thread before the free"}, ""},
		{"a free without a join, of a block found by a variable", `static int *volatile b;
A { return (void *)(long)*b; }
MAIN { b = calloc(1, 4); GO(a);
free(b); JOIN(a); unused(); }`, []string{"Thread 0 frees the block (guest.c:23) without waiting for thread 0.1", "Join that thread before the free"}, ""},
		{"a child's block that a third one handed over", `static int *_Atomic g;
A { atomic_store(&g, calloc(1, 4)); return p; }
B { int *n = atomic_exchange(&g, 0); if (n)
*n = 1; return p; }
MAIN { GO(a); GO(b); int *n = atomic_load(&g); if (n)
free(n); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0 frees the block (guest.c:25), and thread 0.2 still finds the pointer in g (guest.c:22)", "before the free"}, ""},
		{"a block that is handed over, and used after that", `static int *volatile b;
A { volatile int *n = calloc(1, 4); LOCK(m);
b = (int *)n; UNLOCK(m);
x = *n; return p; }
MAIN { GO(a); LOCK(m);
int *n = b; UNLOCK(m);
free(n); JOIN(a); unused(); }`, []string{"Thread 0.1 hands the block over in b (guest.c:22), and still uses it after that (guest.c:23)", "thread 0 takes it (guest.c:25) and frees it (guest.c:26)", "before it hands it over"}, ""},
		{"two frees", `static int *volatile b;
A { if (b) {
free(b); b = 0; } return p; }
MAIN { b = calloc(1, 4); GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); unused(); }`, []string{"both free the block"}, ""},
		{"a free by the thread itself", `A { volatile int *n = calloc(1, 4); free((void *)n); x = *n; return p; }
MAIN { GO(a); JOIN(a); unused(); }`, nil, ""},
		{"a read without a join", `A {
x = 5; return p; }
MAIN { GO(a);
assert(x == 5); JOIN(a); unused(); }`, []string{"Thread 0 reads x (guest.c:23) without waiting for thread 0.1", "writes that (guest.c:21)", "Join the thread"}, ""},
		{"a look that needs no join", `A { z = 5; return p; }
MAIN { GO(a); assert(z == 5); JOIN(a); unused(); }`, nil, ""},
		{"a flag set too early", `static void init(void) {
if (!x) { LOCK(m); if (!x) {
x = 1;
y = 7; } UNLOCK(m); } }
A { init();
assert(y == 7); return p; }
MAIN { GO(a); init(); JOIN(a); unused(); }`, []string{"finds x set (guest.c:21) without m, and uses y (guest.c:25)", "sets it (guest.c:22) before it writes y (guest.c:23)", "Set it last"}, ""},
		{"a pointer set before what it points to", `static struct s { int u, v; } *volatile p; static struct s *get(void) {
if (!p) { LOCK(m); if (!p) {
p = malloc(sizeof *p); p->u = 1;
p->v = 2; } UNLOCK(m); } return p; }
A { struct s *s = get();
assert(s->u == 1 && s->v == 2); return 0; }
MAIN { GO(a); get(); JOIN(a); unused(); }`, []string{"finds p set (guest.c:", "without m", "sets it (guest.c:22) before it writes", "Set it last"}, ""},
		{"a flag that decides, and is set too early", `A {
x = 1;
y = 42; return p; }
B { while (!x) ;
assert(y == 42); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"finds by x (guest.c:23) that it can use y (guest.c:24)", "sets x (guest.c:21) before it writes y (guest.c:22)", "Set it after that"}, ""},
		{"two that belong together", `A {
x = 1;
y = 1; return p; }
B {
assert(x == y); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a flag set last", `static void init(void) { if (!x) { LOCK(m); if (!x) { y = 7; x = 1; } UNLOCK(m); } }
A { init(); assert(y == 8); return p; }
MAIN { GO(a); init(); JOIN(a); unused(); }`, nil, ""},
		{"ABA", `struct s { struct s *next; }; static _Atomic(struct s *) top; static struct s one, two;
static struct s *n1, *n2;
static struct s *pop(void) {
struct s *t, *n; do { t = top; if (!t) return 0; n = t->next;
} while (!atomic_compare_exchange_strong(&top, &t, n)); return t; }
static void push(struct s *t) { do t->next = top;
while (!atomic_compare_exchange_strong(&top, &t->next, t)); }
A { pop(); return p; }
static struct s *gone;
B { struct s *f = pop(); gone = pop(); if (f) push(f); return p; }
MAIN { n1 = malloc(sizeof one), n2 = malloc(sizeof two); push(n2); push(n1); GO(a); GO(b); JOIN(a); JOIN(b); assert(!gone || top != gone); unused(); }`, []string{"reads top (guest.c:23)", "exchange (guest.c:24) succeeds", "ABA"}, ""},
		{"ABA of an index", `static atomic_int top = 1; static volatile int next[4] = {0, 2, 3, 0}, taken[4];
static int pop(void) {
int t, n; do { t = top; if (!t) return 0; n = next[t];
} while (!atomic_compare_exchange_strong(&top, &t, n)); return t; }
A { taken[pop()]++; return p; }
B { int f = pop(); taken[pop()]++; int t = top; do next[f] = t; while (!atomic_compare_exchange_strong(&top, &t, f)); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); for (int t; (t = pop()); ) assert(!taken[t]++); unused(); }`, []string{"reads top (guest.c:22)", "exchange (guest.c:23) succeeds", "ABA", "an entry"}, ""},
		{"a count that is the same again", `A { int v = z; x = 1; if (atomic_compare_exchange_strong(&z, &v, 9)) y = 1; return p; }
B { z = 1; z = 0; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(z != 9 || !y || x != 1); unused(); }`, nil, ""},
		{"two locks for one variable", `A { LOCK(m);
x++; UNLOCK(m); return p; }
B { LOCK(n);
x++; UNLOCK(n); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"holds m at its accesses to x (guest.c:21)", "holds n (guest.c:23)", "different locks"}, ""},
		{"a change with a lock for reading", `static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&w);
x++; pthread_rwlock_unlock(&w); return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); assert(x == 2); unused(); }`, []string{"change x (guest.c:22)", "hold w for reading", "Take it for writing"}, ""},
		{"a change with a lock for reading, beside a reader", `static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&w); x++;
y = x; pthread_rwlock_unlock(&w); return p; }
B { pthread_rwlock_rdlock(&w);
assert(x == y); pthread_rwlock_unlock(&w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"changes y (guest.c:22) while it holds w for reading", "(guest.c:24)", "Take it for writing"}, ""},
		{"two changes with a lock for writing", `static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_wrlock(&w); x++; pthread_rwlock_unlock(&w);
pthread_rwlock_wrlock(&w); y++; pthread_rwlock_unlock(&w); return p; }
B { pthread_rwlock_rdlock(&w); assert(x == y); pthread_rwlock_unlock(&w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a ticket that two draw", `static atomic_int now, sum;
A {
int t = z;
z = t + 1; while (now != t) ; x++; now++; sum++; return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); unused(); }`, []string{"Each access to z is atomic", "(guest.c:22, guest.c:23)"}, ""},
		{"another thread goes on without a look", `A { LOCK(m); if (!x)
pthread_cond_wait(&q, &m); x--; y = x < 0; UNLOCK(m); return p; }
B { LOCK(m); if (x)
x = 0; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(b); LOCK(m); x++; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); assert(!y); unused(); }`, []string{"Thread 0.1 is woken, and goes on without another look at x", "(guest.c:20)", "(guest.c:23)", "loop"}, ""},
		{"announced before it is written", `A {
z = 1;
x = 5; return p; }
B { if (z)
y = x + 1; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y != 1); unused(); }`, []string{"Thread 0.2 finds by z (guest.c:23) that it can use x (guest.c:24)", "sets z (guest.c:21) before it writes x (guest.c:22)"}, ""},
		{"a read before the lock", `A { int i = x;
LOCK(m); x = i + 1;
UNLOCK(m); return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); assert(x == 2); unused(); }`, []string{"Thread 0.2 reads x (guest.c:20) before it takes m (guest.c:21)"}, ""},
		{"a count of waiters that is read before the lock", `A { LOCK(m); while (!x) { y++;
pthread_cond_wait(&q, &m); y--; } UNLOCK(m); return p; }
B { int waits = y;
LOCK(m); x = 1; if (waits) pthread_cond_signal(&q); UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads y (guest.c:22) before it takes m (guest.c:23), under which thread 0.1 changes it (guest.c:20)"}, ""},
		{"a look before the lock, and one after", `A { LOCK(m); x = 1; UNLOCK(m); return p; }
B { if (!x) { LOCK(m); if (!x) y = 1; UNLOCK(m); } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(!y); unused(); }`, nil, ""},
		{"two atomic variables side by side", `static atomic_int v;
A { z = 1; v = 1; return p; }
B { int i = z, j = v; assert(i == j || !i); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
		{"a block whose end isn't what changed last", `static int *top;
A { LOCK(m); int *f = top; y++; UNLOCK(m);
if (f) x = *f; return p; }
B { LOCK(m); y++; int *f = top; top = 0; UNLOCK(m);
free(f); return p; }
MAIN { top = calloc(1, 4); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"takes the pointer from top (guest.c:21)", "frees the block (guest.c:24)"}, "thread 0.2 frees the block (guest.c:24) before thread 0.1 uses it (guest.c:22)"},
		{"a lock that is free again", `static atomic_int l;
A { int v; do v = 0; while (!atomic_compare_exchange_strong(&l, &v, 1)); x++; l = 0; return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); assert(x == 3); unused(); }`, nil, ""},
		{"a thread-local variable of a thread that has ended", `static _Thread_local struct { int a, b[2]; } own; static int *shown;
A { LOCK(m);
shown = &own.b[1]; UNLOCK(m); own.a = 1; return p; }
B { LOCK(m); int *o = shown; UNLOCK(m);
if (o) y = *o; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 finds the address of own.b[1] of thread 0.1 in shown (guest.c:23), and thread 0.1, whose memory that is, has ended"}, "thread 0.1 ends before thread 0.2 uses own.b[1] of thread 0.1 (guest.c:24)"},
		{"a thread that is cancelled keeps its lock", `A { LOCK(m);
x = 1; pause(); UNLOCK(m); return p; }
MAIN { GO(a); pthread_cancel(a_); JOIN(a);
LOCK(m); x = 2; UNLOCK(m); unused(); }`, []string{"Thread 0.1 takes m (guest.c:20) and ends without releasing it"}, ""},
		{"a loop that waits for an ended thread", `A {
z = 1; return p; }
B {
while (z); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, "thread 0.2 waits for z to change (guest.c:23), which thread 0.1 has set to 1 (guest.c:21) before it ended"},
		{"a buffer that is filled when its thread has ended", `static int *volatile lent;
A { int room[4]; lent = room; return p; }
B { int *r = lent;
if (r) r[1] = 1; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 finds the address of the stack of thread 0.1 in lent (guest.c:22)"}, "thread 0.1 ends before thread 0.2 uses the stack of thread 0.1 (guest.c:23)"},
		{"a count of users that is looked at again", `struct s { volatile int refs; } *s;
A {
s->refs--;
if (!s->refs) free(s);
return p; }
MAIN { s = malloc(sizeof *s); s->refs = 2; GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); unused(); }`, []string{"(guest.c:22) and looks at it again (guest.c:23), as two steps", "and frees the block (guest.c:23)", "one atomic operation"}, ""},
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
		{"looked at for reading, changed for writing", `static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&l); int had = x;
pthread_rwlock_unlock(&l); if (!had) { pthread_rwlock_wrlock(&l);
x++; pthread_rwlock_unlock(&l); } return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x == 1); unused(); }`, []string{"looks at x (guest.c:21) while it holds l for reading, releases that (guest.c:22), and changes x (guest.c:23)", "Look again after taking l for writing"}, ""},
		{"a change with a lock for reading, in two lines", `static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&w); int v = x;
x = v + 1; pthread_rwlock_unlock(&w); return p; }
B { pthread_rwlock_rdlock(&w);
x += 5; pthread_rwlock_unlock(&w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(x == 6); unused(); }`, []string{"change x", "both hold w for reading", "Take it for writing"}, ""},
		{"let go, beside an atomic variable", `A { LOCK(m); int v = x;
UNLOCK(m); z++; LOCK(m);
x = v + 1; UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); x++; UNLOCK(m); JOIN(a); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21) between its two accesses to x (guest.c:20, guest.c:22)"}, ""},
		{"a thread that is woken, and hasn't gone on", `static void __attribute__((noinline, optimize("no-optimize-sibling-calls"))) sleeps(void) { pthread_cond_wait(&q, &m); }
A { LOCK(m); z = 1; while (!x) sleeps(); x = 0; UNLOCK(m); return p; }
B { LOCK(m); if (x) { x = 0; y = 1; } UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); int w = z; x = 1; pthread_cond_signal(&q);
UNLOCK(m); LOCK(m); int v = x; UNLOCK(m); assert(v || !y || !w); JOIN(b); unused(); }`, nil, ""},
		{"a lock of two let go before the write", `static struct { volatile int next; pthread_mutex_t m; } t[4];
A { LOCK(t[1].m); LOCK(t[2].m); int n = t[1].next; if (n == 2) { y = 1;
UNLOCK(t[1].m);
t[1].next = t[2].next; } else UNLOCK(t[1].m); UNLOCK(t[2].m); return p; }
B { LOCK(t[1].m);
int n = t[1].next; LOCK(t[n].m); t[3].next = n; t[1].next = 3; UNLOCK(t[n].m); UNLOCK(t[1].m); return p; }
MAIN { t[1].next = 2; for (int i = 0; i < 4; i++) pthread_mutex_init(&t[i].m, 0); GO(a); GO(b); JOIN(a); JOIN(b); assert(!y || t[3].next != 2); unused(); }`, []string{"Thread 0.1 releases t[1].m (guest.c:22) before it writes t[1].next (guest.c:23), and thread 0.2, which holds t[1].m, uses that (guest.c:25)", "Unlock after"}, ""},
		{"a lock of two let go after the write", `static struct { volatile int next; pthread_mutex_t m; } t[4];
A { LOCK(t[1].m); LOCK(t[2].m); int n = t[1].next; if (n == 2) { y = 1;
t[1].next = t[2].next; } UNLOCK(t[1].m); UNLOCK(t[2].m); return p; }
B { LOCK(t[1].m);
int n = t[1].next; LOCK(t[n].m); t[3].next = n; t[1].next = 3; UNLOCK(t[n].m); UNLOCK(t[1].m); return p; }
MAIN { t[1].next = 2; for (int i = 0; i < 4; i++) pthread_mutex_init(&t[i].m, 0); GO(a); GO(b); JOIN(a); JOIN(b); assert(!y || t[3].next == 2); unused(); }`, nil, ""},
		{"kept at the end", `A {
LOCK(m); if (x) return p;
UNLOCK(m); x = 1; return p; }
MAIN { GO(a); JOIN(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(b); unused(); }`, []string{"Thread 0.2 takes m (guest.c:21) and ends", "Unlock it on every way"}, ""},
		{"taken twice", `static void __attribute__((noinline)) add(void) {
LOCK(m); x++; UNLOCK(m); }
A { LOCK(m);
add(); UNLOCK(m); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, []string{"Thread 0.1 takes m (guest.c:22) and wants it once more (guest.c:21)"}, ""},
		{"held for reading, wanted for writing", `static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&l);
if (!x) { pthread_rwlock_wrlock(&l); x = 1; pthread_rwlock_unlock(&l); } pthread_rwlock_unlock(&l); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, []string{"Thread 0.1 holds l for reading (guest.c:21) and wants it for writing (guest.c:22)", "look again"}, ""},
		{"let go twice", `A { LOCK(m); x++;
UNLOCK(m);
UNLOCK(m); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21), and once more (guest.c:22)"}, ""},
		{"let go, never taken", `A { x++;
UNLOCK(m); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21) without having taken it"}, ""},
		{"another thread's lock", `A {
UNLOCK(m); return p; }
MAIN { LOCK(m);
GO(a); JOIN(a); unused(); }`, []string{"Thread 0 takes m (guest.c:22), and thread 0.1 releases it (guest.c:21)", "semaphore"}, ""},
		{"destroyed while it is held", `#include <semaphore.h>
static sem_t s, u;
A { LOCK(m); sem_post(&s); sem_wait(&u);
UNLOCK(m); return p; }
MAIN { sem_init(&s, 0, 0); sem_init(&u, 0, 0); GO(a); sem_wait(&s);
pthread_mutex_destroy(&m); sem_post(&u); JOIN(a); unused(); }`, []string{"Thread 0.1 takes m (guest.c:22), and thread 0 destroys or initialises it (guest.c:25)", "pthread_join"}, ""},
		{"destroyed by its holder", `A { LOCK(m);
pthread_mutex_destroy(&m); return p; }
MAIN { GO(a); JOIN(a); unused(); }`, []string{"Thread 0.1 takes m (guest.c:20), and destroys or initialises it (guest.c:21)", "Unlock it first"}, ""},
		{"used when it is destroyed", `#include <semaphore.h>
static sem_t s;
A { sem_wait(&s);
LOCK(m); x = 1; UNLOCK(m); return p; }
MAIN { sem_init(&s, 0, 0); GO(a);
pthread_mutex_destroy(&m); sem_post(&s); JOIN(a); unused(); }`, []string{"Thread 0 destroys m (guest.c:25) before thread 0.1 uses it (guest.c:23)", "pthread_join"}, ""},
		{"without threads", `MAIN { assert(x); unused(); }`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", head+c.source)), nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			rest := r.Bug.Mistake
			for _, part := range c.want {
				at := strings.Index(rest, part)
				if at < 0 {
					t.Fatalf("%q; want %q", r.Bug.Mistake, part)
				}
				rest = rest[at+len(part):]
			}
			if c.cause != "" && r.Bug.Cause != c.cause {
				t.Errorf("the cause is %q, want %q", r.Bug.Cause, c.cause)
			}
			if len(c.want) == 0 && rest != "" {
				t.Errorf("%q; want none", rest)
			}
		})
	}
}
