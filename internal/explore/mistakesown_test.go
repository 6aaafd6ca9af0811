package explore

// ownLockMistakes are mistakes about locks of one's own, of one word.
var ownLockMistakes = []mistake{
	{"numbers that threads take are no locks", `static atomic_int ids[2]; static volatile int two = 2;
static int take(void) { for (;;) for (int i = 0; i < two; i++) { int f = 0;
if (!ids[i] && atomic_compare_exchange_strong(&ids[i], &f, 1)) return i; } }
A { int i = take(); int v = x;
x = v + 1; ids[i] = 0; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Nothing keeps thread", "change of x (guest.c:24) from coming between thread"}, ""},
	{"a look and a change in two sections of a spin lock", `static atomic_flag f = ATOMIC_FLAG_INIT;
static void in(void) { while (atomic_flag_test_and_set(&f)) ; }
static void out(void) {
atomic_flag_clear(&f); }
static int some(void) { in();
int n = x; out(); return n; }
A { if (some()) { in();
x--; out(); } return p; }
MAIN { x = 1; GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x >= 0); unused(); }`, []string{"Thread 0.1 releases f (guest.c:23) between its two accesses to x (guest.c:25, guest.c:27)", "Hold f over both"}, "thread 0.2 changes x (guest.c:27) between thread 0.1's read (guest.c:25) and its read (guest.c:27)"},
	{"a pointer used after a lock by compare and exchange", `static atomic_int l; static int *top;
static void in(void) { int v; do v = 0; while (!atomic_compare_exchange_strong(&l, &v, 1)); }
static void out(void) {
l = 0; }
A { in();
int *s = top; out(); if (s)
y = *s; return p; }
B { in(); int *s = top; top = 0; out();
free(s); return p; }
MAIN { top = calloc(1, 4); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 takes the pointer from top under l (guest.c:25), releases that (guest.c:23), and still uses the block (guest.c:26)", "thread 0.2 frees it (guest.c:28)"}, ""},
	{"money that is on its way under a spin lock", `static atomic_flag f = ATOMIC_FLAG_INIT; static volatile int one = 5, other = 5;
static void in(void) { while (atomic_flag_test_and_set(&f)) ; }
static void out(void) { atomic_flag_clear(&f); }
A { in(); one--; out(); in();
other++; out(); return p; }
B { in(); int v = one + other; out(); assert(v == 10); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 changes one (guest.c:23) and other (guest.c:24), and releases f in between (guest.c:22)", "Hold f over both changes"}, ""},
	{"a count of users, which isn't a lock", `static atomic_int users;
A { users++; int v = x; users--; y += v; return p; }
B { users++; x = 1; users--; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y); unused(); }`, nil, ""},
	{"a mark that another thread takes back", `static atomic_int mark;
A { if (!atomic_exchange(&mark, 1)) x++; return p; }
B { if (atomic_exchange(&mark, 0)) y = x; if (!atomic_exchange(&mark, 2)) x++; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(x + y < 3); unused(); }`, nil, ""},
}

// ownPairMistakes are mistakes about locks of two words, or of a word that only one thread uses.
var ownPairMistakes = []mistake{
	{"a look and a change in two sections of a lock with tickets", `static atomic_uint next, now;
static void in(void) { unsigned t = next++; while (now != t) ; }
static void out(void) {
now++; }
A { in(); int some = x; out(); if (some) { in(); x--; out(); } return p; }
MAIN { x = 1; GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x >= 0); unused(); }`, []string{"Thread 0.1 releases now (guest.c:23) between its two accesses to x (guest.c:24), and thread 0.2 changes that. Hold now over both"}, "thread 0.2 changes x (guest.c:24) between thread 0.1's read (guest.c:24) and its read (guest.c:24)"},
	{"a write after a lock with tickets is released", `struct ticket { atomic_uint next; volatile unsigned now; } l;
static void in(void) { unsigned t = atomic_fetch_add(&l.next, 1); while (l.now != t) ; }
static void out(void) { l.now = l.now + 1; }
A { in(); int v = x; out();
x = v + 1; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases l.now (guest.c:22) before its last access to x there (guest.c:24), and thread 0.2 changes that in the same way (guest.c:24). Unlock after the last access."}, ""},
	{"a write after the thread's flag is taken back", `static volatile int want[2], turn;
static void in(int i) { want[i] = 1; turn = !i; while (want[!i] && turn != i) ; }
static void out(int i) { want[i] = 0; }
A { int i = p != 0; in(i); int v = x; out(i);
x = v + 1; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, &x); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases want[0] (guest.c:22) before its last access to x there (guest.c:24)"}, ""},
	{"flags that are set after the look", `static volatile int want[2];
A { int i = p != 0; while (want[!i]) ; want[i] = 1; x++; want[i] = 0; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, &x); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, nil, ""},
	{"a spin lock on one side", `static atomic_int f;
A { while (atomic_exchange(&f, 1)) ;
x++; f = 0; return p; }
B {
x++; return p; }
MAIN { GO(a); GO(b); int busy = f; JOIN(a); JOIN(b); assert(busy > 1 || x == 2); unused(); }`, []string{"Thread 0.2 changes x (guest.c:24) without f, which thread 0.1 holds at its accesses. If f is what protects x, take it there too."}, ""},
	{"numbers that count up, which aren't a lock", `static atomic_uint begun, done;
A { begun++; int v = x; x = v + 1; done++; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x == 2 && begun == done); unused(); }`, []string{"Nothing keeps thread 0.2's change of x (guest.c:21)"}, ""},
	{"a write after a mutex is released, as another thread does", `A { LOCK(m); int v = x; UNLOCK(m);
x = v + 1; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(x == 2); unused(); }`, []string{"Thread 0.1 releases m (guest.c:20) before its last access to x there (guest.c:21), and thread 0.2 changes that in the same way (guest.c:21)."}, ""},
	{"spin locks in two orders", `static atomic_flag f = ATOMIC_FLAG_INIT, g = ATOMIC_FLAG_INIT;
static void in(atomic_flag *l) { while (atomic_flag_test_and_set(l)) ; }
A { in(&f); in(&g); atomic_flag_clear(&g); atomic_flag_clear(&f); return p; }
B { in(&g); in(&f); atomic_flag_clear(&f); atomic_flag_clear(&g); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"The locks are taken in different orders: thread 0.1 takes f (guest.c:21) and then waits for g (guest.c:21); thread 0.2 takes g (guest.c:21) and then waits for f (guest.c:21). Take them in one order everywhere."}, ""},
	{"flags that both wait for, which aren't locks", `static volatile int f, g;
A { f = 1; while (g) ; f = 0; return p; }
B { g = 1; while (f) ; g = 0; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
}
