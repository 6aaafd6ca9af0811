package explore

// semMistakes are mistakes about semaphores used as locks, barriers, and looks at two variables.
var semMistakes = []mistake{
	{"a semaphore that lets two in", `#include <semaphore.h>
static sem_t s;
A { sem_wait(&s);
x++; sem_post(&s); return p; }
B { return a(p); }
MAIN {
sem_init(&s, 0, 2); GO(a); GO(b); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Threads 0.", "change x (guest.c:23) while both have waited for s", "Begin it with 1 (guest.c:26), or protect x with a lock"}, ""},
	{"a semaphore that counts places", `#include <semaphore.h>
static sem_t e, f;
A { sem_wait(&e);
x++; sem_post(&f); return p; }
B { return a(p); }
MAIN { sem_init(&e, 0, 2); sem_init(&f, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Nothing keeps thread 0."}, ""},
	{"a semaphore taken as a lock across a wait", `#include <semaphore.h>
static sem_t s, e, f;
A { for (int i = 0; i < 2; i++) { sem_wait(&s);
sem_wait(&e); x = i;
sem_post(&f); sem_post(&s); } return p; }
B { for (int i = 0; i < 2; i++) { sem_wait(&f);
sem_wait(&s); y = x; sem_post(&s);
sem_post(&e); } return p; }
MAIN { sem_init(&s, 0, 1); sem_init(&e, 0, 1); sem_init(&f, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 waits for e (guest.c:23) after it has waited for s (guest.c:22), and thread 0.2 needs that (guest.c:26) before it posts e (guest.c:27). Wait for e first."}, ""},
	{"a semaphore that its waiter doesn't post", `#include <semaphore.h>
static sem_t s, e;
A { sem_wait(&s); sem_wait(&e); return p; }
B { sem_wait(&s); sem_post(&e); sem_post(&s); return p; }
MAIN { sem_init(&s, 0, 1); sem_init(&e, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a barrier for more threads than there are", `static pthread_barrier_t r;
A {
pthread_barrier_wait(&r); return p; }
MAIN {
pthread_barrier_init(&r, 0, 3); GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0);
JOIN(a); JOIN(b); unused(); }`, []string{"Threads 0.1 and 0.2 wait at r (guest.c:22), and no other thread is left that could come: thread 0 waits for thread 0.1 to end (guest.c:25). Initialise r (guest.c:24)"}, ""},
	{"a thread that doesn't come to a barrier", `static pthread_barrier_t r;
A { if (!z++) return p;
pthread_barrier_wait(&r); return p; }
MAIN { pthread_barrier_init(&r, 0, 2); GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"two variables that are read without the lock", `A { LOCK(m);
x++;
y++; UNLOCK(m); return p; }
B { int v = x;
int w = y; assert(v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads ", "without m, under which thread 0.1 changes both (guest.c:2", "Hold m over both reads"}, ""},
	{"two variables that no lock holds together", `A { LOCK(m); x++; UNLOCK(m); LOCK(m); y++; UNLOCK(m); return p; }
B { int v = x; int w = y; assert(v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"two atomic variables that a lock holds together", `static atomic_int k;
A { LOCK(m); k++; z++; UNLOCK(m); return p; }
B { int v = k; int w = z; assert(v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a write and a read between the same waits", `static pthread_barrier_t r; static volatile int v[2], w[2];
static void go(int i) { for (int k = 0; k < 2; k++) {
w[i] = v[1 - i];
pthread_barrier_wait(&r);
v[i] = w[i] + 1; } }
A { go(0); return p; } B { go(1); return p; }
MAIN { pthread_barrier_init(&r, 0, 2); GO(a); GO(b); JOIN(a); JOIN(b); assert(v[0] == v[1]); unused(); }`, []string{"writes v[", "(guest.c:24) and thread 0.", "reads it (guest.c:22), both between the same two waits at r", "once more"}, ""},
	{"a write and a read before the barrier", `static pthread_barrier_t r;
A { x = 1; pthread_barrier_wait(&r); return p; }
B { int v = x; pthread_barrier_wait(&r); assert(v); return p; }
MAIN { pthread_barrier_init(&r, 0, 2); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"the second post that comes before what it tells of", `#include <semaphore.h>
static sem_t s, go; static volatile int v[2];
A { for (int i = 0; i < 2; i++) { sem_wait(&go);
sem_post(&s);
v[i] = i + 1; } return p; }
B { for (int i = 0; i < 2; i++) {
sem_wait(&s);
x += v[i]; } return p; }
MAIN { sem_init(&s, 0, 0); sem_init(&go, 0, 2); GO(a); GO(b); JOIN(a); JOIN(b); assert(x == 3); unused(); }`, []string{"Thread 0.1 posts s (guest.c:23) before it writes v[", "(guest.c:24), and thread 0.2, which has waited for that (guest.c:26), reads it (guest.c:27). Post after the write."}, ""},
	{"a flag, and then a wait for what two post", `#include <semaphore.h>
static sem_t s; static volatile int v; static atomic_int flag;
A { flag = 1;
sem_post(&s);
v = 1; return p; }
B { sem_post(&s); if (flag) {
sem_wait(&s); sem_wait(&s);
assert(v); } return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a turn that is given before the flag is set", `static atomic_int flag[2], turn;
static void in(int i) { turn = 1 - i; flag[i] = 1; while (flag[1 - i] && turn == 1 - i) ;
x++; assert(x == 1); x--; flag[i] = 0; }
A { in(0); return p; } B { in(1); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"an index that is set before its entry", `static volatile int ring[2]; static atomic_uint head;
A { unsigned h = head;
head = h + 1;
ring[h] = 5; h = head; head = h + 1; ring[h] = 6; return p; }
B { if (head) {
int v = ring[0]; assert(v == 5); } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 finds by head (guest.c:24) that it can use ring[0] (guest.c:25), but thread 0.1 sets head (guest.c:22) before it writes ring[0] (guest.c:23)"}, ""},
	{"a version that is read again", `A { z = 1; x = 5; z = 2; return p; }
B { int s = z; int v = x; if (s == z) assert(v == 5 || !s); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a count of readers that no lock protects", `static volatile int v, w;
static void in(void) { if (++x == 1) LOCK(m); }
static void out(void) {
x--; if (x == 0) UNLOCK(m); }
A { in(); assert(v == w); out(); return p; }
B { in(); assert(v == w); out(); return p; }
C { LOCK(m); v++; w++; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); GO(c); JOIN(a); JOIN(b); JOIN(c); unused(); }`, []string{"changes x and looks at it again (guest.c:23), as two steps", "lock of its own"}, ""},
}
