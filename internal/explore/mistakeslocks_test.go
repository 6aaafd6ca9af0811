package explore

// lockMistakes are mistakes about locks, and accesses that no lock, or not the same, protects.
var lockMistakes = []mistake{
	{"lock order", `A {
LOCK(m); x++;
LOCK(n); UNLOCK(n); UNLOCK(m); return p; }
B {
LOCK(n);
LOCK(m); UNLOCK(m); UNLOCK(n); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"different orders", "thread 0.1 takes m (guest.c:21) and then n (guest.c:22)", "thread 0.2 takes n (guest.c:24) and then m (guest.c:25)", "one order"}, ""},
	{"a variable that a thread's creator changes under a lock", `A { LOCK(m); y = x; UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); x = 1; UNLOCK(m); JOIN(a); assert(!y); unused(); }`, nil, ""},
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
	{"a flag that a store buffer holds", `static volatile int k;
B { y = 1; if (!x) k++; return p; }
C { __atomic_exchange_n(&x, 1, 5); if (!y) k++; return p; }
MAIN { GO(c); GO(b); JOIN(c); JOIN(b); assert(k < 2); unused(); }`, nil, ""},
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
	{"a semaphore for a lock", `#include <semaphore.h>
static sem_t s;
A { sem_wait(&s); x++; sem_post(&s); return p; }
MAIN { sem_init(&s, 0, 1); GO(a); x++; JOIN(a); assert(x == 2); unused(); }`, nil, ""},
	{"a spin lock of one's own", `static atomic_flag f = ATOMIC_FLAG_INIT;
A { while (atomic_flag_test_and_set(&f)) ; x++; atomic_flag_clear(&f); return p; }
MAIN { GO(a); x++; while (atomic_flag_test_and_set(&f)) ; atomic_flag_clear(&f); JOIN(a); assert(x == 2); unused(); }`, []string{"Thread 0 uses x (guest.c:22) without f, which thread 0.1 holds at its access. If f is what protects x"}, ""},
	{"looked at too early", `A { x++; x++; return p; }
MAIN { GO(a); int v = x; assert(v == x || v == 2); JOIN(a); unused(); }`, nil, ""},
	{"looked at, let go, acted on", `static int take(void) { LOCK(m); assert(x); x--; UNLOCK(m); return 0; }
static int some(void) { LOCK(m); int n = x; UNLOCK(m); return n; }
A { if (some()) take(); return p; }
MAIN { x = 1; GO(a); if (some()) take(); JOIN(a); unused(); }`, []string{"releases m (guest.c:21) between its two accesses to x (guest.c:21, guest.c:20)"}, ""},
	{"looked at, let go, done twice", `A { LOCK(m); int had = x;
UNLOCK(m); if (!had) { LOCK(m); if (!x) x = 1;
y++; UNLOCK(m); } return p; }
B { return a(p); }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 1); unused(); }`, []string{"releases m (guest.c:21) after it has looked at x, and changes y (guest.c:22) when it has it again", "has done the same (guest.c:22)", "look again"}, ""},
	{"looked at, let go, and another mistake", `A { LOCK(m); int had = x;
UNLOCK(m); y = y + 1; if (!had) { LOCK(m); if (!x) x = 1; UNLOCK(m); } return p; }
B { return a(p); }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 2); unused(); }`, []string{"change of y"}, ""},
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
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 changes x (guest.c:21) and y (guest.c:22), and releases w in between (guest.c:21)", "thread 0.2 reads both (guest.c:23). Hold w over both changes"}, ""},
	{"a ticket that two draw", `static atomic_int now, sum;
A {
int t = z;
z = t + 1; while (now != t) ; x++; now++; sum++; return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); unused(); }`, []string{"Each access to z is atomic", "(guest.c:22, guest.c:23)"}, ""},
	{"a read before the lock", `A { int i = x;
LOCK(m); x = i + 1;
UNLOCK(m); return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); assert(x == 2); unused(); }`, []string{"Thread 0.2 reads x (guest.c:20) before it takes m (guest.c:21)"}, ""},
	{"a look before the lock, and one after", `A { LOCK(m); x = 1; UNLOCK(m); return p; }
B { if (!x) { LOCK(m); if (!x) y = 1; UNLOCK(m); } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(!y); unused(); }`, nil, ""},
	{"two atomic variables side by side", `static atomic_int v;
A { z = 1; v = 1; return p; }
B { int i = z, j = v; assert(i == j || !i); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a lock that is free again", `static atomic_int l;
A { int v; do v = 0; while (!atomic_compare_exchange_strong(&l, &v, 1)); x++; l = 0; return p; }
MAIN { GO(a); pthread_t c_; pthread_create(&c_, 0, a, 0); JOIN(a); JOIN(c); assert(x == 3); unused(); }`, nil, ""},
	{"a thread that is cancelled keeps its lock", `A { LOCK(m);
x = 1; pause(); UNLOCK(m); return p; }
MAIN { GO(a); pthread_cancel(a_); JOIN(a);
LOCK(m); x = 2; UNLOCK(m); unused(); }`, []string{"Thread 0.1 takes m (guest.c:20) and ends without releasing it"}, ""},
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
	{"a change made twice, drained in between", `static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int pending, queue;
static void post(void) { LOCK(m); queue++; pending = 1; pthread_cond_signal(&c); UNLOCK(m); }
A { post(); post(); return p; }
B { while (x < 2) { LOCK(m); while (!pending) pthread_cond_wait(&c, &m); int n = queue; queue = 0; UNLOCK(m);
x += n;
LOCK(m); pending = 0; UNLOCK(m); } return p; }
MAIN { GO(b); GO(a); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 sets pending back to 0 (guest.c:25), and hasn't looked at it since thread 0.2 set it to 1 (guest.c:21). So thread 0.1 waits for ever (guest.c:23)"}, ""},
	{"let go, beside an atomic variable", `A { LOCK(m); int v = x;
UNLOCK(m); z++; LOCK(m);
x = v + 1; UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m); x++; UNLOCK(m); JOIN(a); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases m (guest.c:21) between its two accesses to x (guest.c:20, guest.c:22)"}, ""},
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
	{"destroyed by a thread that another one waits for", `A {
pthread_mutex_destroy(&m); return p; }
MAIN { GO(a); JOIN(a);
LOCK(m); UNLOCK(m); unused(); }`, []string{"Thread 0.1 destroys m (guest.c:21) before thread 0 uses it (guest.c:23). Destroy it when no thread uses it any more."}, ""},
	{"used when it is destroyed", `#include <semaphore.h>
static sem_t s;
A { sem_wait(&s);
LOCK(m); x = 1; UNLOCK(m); return p; }
MAIN { sem_init(&s, 0, 0); GO(a);
pthread_mutex_destroy(&m); sem_post(&s); JOIN(a); unused(); }`, []string{"Thread 0 destroys m (guest.c:25) before thread 0.1 uses it (guest.c:23)", "pthread_join"}, ""},
	{"without threads", `MAIN { assert(x); unused(); }`, nil, ""},
}
