package explore

// afterMistakes are mistakes about pointers that are used when their lock is released.
var afterMistakes = []mistake{
	{"a pointer used after its lock, to what another thread frees", `static int *t[2];
static int *find(int i) { LOCK(m);
int *s = t[i];
UNLOCK(m); return s; }
A { int *s = find(1); if (s)
y = *s; return p; }
B { LOCK(m); int *s = t[1]; t[1] = 0;
free(s); UNLOCK(m); return p; }
MAIN { t[1] = calloc(1, 4); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 takes the pointer from t[1] under m (guest.c:22), releases that (guest.c:23), and still uses the block (guest.c:25)", "thread 0.2 frees it (guest.c:27)", "Hold m until the last use"}, ""},
	{"a pointer used after its lock, to what another thread frees later", `static int *t;
A { LOCK(m); int *s = t; UNLOCK(m); if (s)
y = *s; return p; }
B { LOCK(m); int *s = t; t = 0; UNLOCK(m);
free(s); return p; }
MAIN { t = calloc(1, 4); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"takes the pointer from t under m (guest.c:21), releases that (guest.c:21), and still uses the block (guest.c:22)", "thread 0.2 frees it (guest.c:24)"}, ""},
	{"a pointer used after its lock, to what another thread changes", `static struct slot { volatile int key, copy; } slots[2] = {{1, 1}, {2, 2}}, *current = slots + 1;
A { LOCK(m);
struct slot *s = current;
UNLOCK(m); int k = s->key;
int c = s->copy; assert(k == c); return p; }
B { LOCK(m); current = slots; slots[1].key = 7;
slots[1].copy = 7; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 takes a pointer from current under m (guest.c:22), releases that (guest.c:23), and reads slots[1].copy by the pointer (guest.c:24)", "thread 0.2 changes it under m (guest.c:26)", "Hold m until the last use, or copy under m"}, ""},
	{"a block's pointer used after its lock, to what another thread changes", `struct s { int a, b; } *current;
A { LOCK(m); struct s *s = current; UNLOCK(m);
int v = s->a; assert(v == s->b); return p; }
B { LOCK(m); current->a++; current->b++; UNLOCK(m); return p; }
MAIN { current = calloc(1, sizeof *current); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"takes a pointer from current under m (guest.c:21)", "by the pointer (guest.c:22)", "changes it under m (guest.c:23)"}, ""},
	{"a pointer whose object has a lock of its own", `static struct s { pthread_mutex_t own; int a, b; } one = {PTHREAD_MUTEX_INITIALIZER, 0, 0}, *current = &one;
A { LOCK(m); struct s *s = current; UNLOCK(m); LOCK(s->own); int v = s->a, w = s->b; UNLOCK(s->own); assert(v + w < 2); return p; }
B { LOCK(m); LOCK(one.own); one.a++; one.b++; UNLOCK(one.own); UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a pointer to what no thread changes after it", `struct s { int a, b; } one = {1, 2}, *current = &one;
A { LOCK(m); struct s *s = current; UNLOCK(m); assert(s->a + s->b + z < 4); return p; }
B { LOCK(m); one.a = 1; current = 0; UNLOCK(m); z = 1; return p; }
MAIN { GO(b); JOIN(b); current = &one; GO(a); JOIN(a); unused(); }`, nil, ""},
	{"a pointer taken under another lock", `struct s { volatile int a, b; } one, *current = &one;
A { LOCK(n); struct s *s = current; UNLOCK(n); int v = s->a; assert(v == s->b); return p; }
B { LOCK(m); one.a++; one.b++; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a pointer that is handed over by a semaphore", `#include <semaphore.h>
static sem_t s; struct s { volatile int a, b; } one, *current = &one;
A { LOCK(m); struct s *o = current; UNLOCK(m); sem_wait(&s); assert(o->a + z != 2); return p; }
B { LOCK(m); one.a = 1; UNLOCK(m); sem_post(&s); z = 1; return p; }
MAIN { sem_init(&s, 0, 0); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a buffer of all callers", `static volatile char buf[4];
static volatile char *text(int v) { LOCK(m);
buf[0] = v;
UNLOCK(m); return buf; }
A { volatile char *s = text(1);
assert(s[0] == 1); return p; }
B { text(2); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 writes buf[0] (guest.c:22) under m, and reads it (guest.c:25) when it has released that (guest.c:23)", "thread 0.2 writes it under m (guest.c:22)"}, ""},
	{"a begun initialisation that another thread takes for a finished one", `static volatile int data[2];
static void init(void) {
if (!atomic_exchange(&z, 1)) { data[0] = 3;
data[1] = 4; } }
A { init();
assert(data[0] + data[1] == 7); return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); unused(); }`, []string{"finds by z (guest.c:22) that thread 0.", "has begun (guest.c:22), and uses data[", "(guest.c:25) before that one writes it (guest.c:2", "pthread_once"}, ""},
	{"a turn that two threads give away", `static atomic_int flag[2], turn;
static void in(int i) { turn = 1 - i; flag[i] = 1; while (flag[1 - i] && turn == 1 - i) ; x++; assert(x == 1); x--; flag[i] = 0; }
A { in(0); return p; } B { in(1); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a buffer that its thread writes again", `static volatile char buf[4];
A { LOCK(m); buf[0] = 1; UNLOCK(m); LOCK(n); buf[0] = 3; int v = buf[0]; UNLOCK(n); assert(v == 3); return p; }
B { LOCK(m); buf[0] = 2; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
}
