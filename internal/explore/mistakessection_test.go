package explore

// sectionMistakes are mistakes about two sections of one lock that belong together.
var sectionMistakes = []mistake{
	{"a look in one section, another variable changed in the next", `static volatile int last;
A { LOCK(m); int open = !x;
UNLOCK(m); if (open) { LOCK(m);
y++; UNLOCK(m); } return p; }
B { LOCK(m);
x = 1; UNLOCK(m); LOCK(m); last = y; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(last == y); unused(); }`, []string{"Thread 0.1 reads x (guest.c:21) with m held, releases that (guest.c:22), and changes y (guest.c:23) when it holds it again", "thread 0.2 changes x (guest.c:25)", "Hold m over both, or look at x again"}, ""},
	{"a look in one section, another variable changed in the next, and a third thread fails", `static volatile int last;
A { LOCK(m); int open = !x; UNLOCK(m); if (open) { LOCK(m); y++; UNLOCK(m); z = 1; } return p; }
C { LOCK(m); while (!x) pthread_cond_wait(&q, &m); last = y; UNLOCK(m); return p; }
MAIN { GO(a); GO(c); LOCK(m);
x = 1; pthread_cond_signal(&q); UNLOCK(m); JOIN(a); JOIN(c); assert(last == z); unused(); }`, []string{"Thread 0.1 reads x (guest.c:21) with m held, releases that (guest.c:21), and changes y (guest.c:21)", "thread 0 changes x (guest.c:24)"}, ""},
	{"a price read in one section, a sum written in the next", `static volatile int price = 3, sum;
static int now(void) { LOCK(m); int v = price;
UNLOCK(m); return v; }
A { int v = now(); LOCK(m);
sum = 2 * v; UNLOCK(m); return p; }
B { LOCK(m);
price = 4; sum = sum / 3 * 4; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(sum == 2 * price); unused(); }`, []string{"Thread 0.1 reads price (guest.c:21) with m held, releases that (guest.c:22), and changes sum (guest.c:24)", "thread 0.2 changes price (guest.c:26)"}, ""},
	{"money that is on its way", `static volatile int one = 50, other = 50;
A { LOCK(m);
one -= 10;
UNLOCK(m); LOCK(m);
other += 10; UNLOCK(m); return p; }
B { LOCK(m);
int v = one + other; UNLOCK(m); assert(v == 100); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 changes one (guest.c:22) and other (guest.c:24), and releases m in between (guest.c:23)", "thread 0.2 reads both (guest.c:26)", "Hold m over both changes"}, ""},
	{"two reads, and the lock released in between", `static volatile int one = 50, other = 50;
A { LOCK(m); one -= 10;
other += 10; UNLOCK(m); return p; }
B { LOCK(m); int v = one;
UNLOCK(m); LOCK(m);
v += other; UNLOCK(m); assert(v == 100); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads one (guest.c:23) and other (guest.c:25), and releases m in between (guest.c:24)", "thread 0.1 changes both (guest.c:21, guest.c:22)", "Hold m over both reads"}, ""},
	{"looked at for reading, and done twice before the same is read", `static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
A { pthread_rwlock_rdlock(&l); int had = x;
pthread_rwlock_unlock(&l); if (!had) { pthread_rwlock_wrlock(&l);
y++; if (!x) x = 1; pthread_rwlock_unlock(&l); } return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(y == 1); unused(); }`, []string{"releases l (guest.c:22) after it has looked at x, and changes y (guest.c:23) when it has it again", "has done the same (guest.c:23)"}, ""},
	{"a look again in the next section", `A { LOCK(m); int open = !x; UNLOCK(m); if (open) { LOCK(m); if (!x) y++; UNLOCK(m); } return p; }
B { LOCK(m); x = 1; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 1); unused(); }`, nil, ""},
	{"a section that changes nothing that was read", `static volatile int last;
A { LOCK(m); z = x; UNLOCK(m); LOCK(m); y++; UNLOCK(m); return p; }
B { LOCK(m); last = y; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(last == y); unused(); }`, nil, ""},
	{"a wait on a condition variable between a look and a change", `static volatile int last;
A { LOCK(m); z = x; while (!x) pthread_cond_wait(&q, &m); y++; UNLOCK(m); return p; }
B { LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); LOCK(m); last = y; UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(last == y); unused(); }`, nil, ""},
	{"two variables that two threads change", `A { LOCK(m); x++; UNLOCK(m); return p; }
B { LOCK(m); y++; UNLOCK(m); return p; }
C { LOCK(m); int v = x, w = y; UNLOCK(m); assert(v == w); return p; }
MAIN { GO(a); GO(b); GO(c); JOIN(a); JOIN(b); JOIN(c); unused(); }`, nil, ""},
	{"money that is on its way between two locks", `static volatile int one = 5, other = 5;
A { LOCK(m); one--;
UNLOCK(m); LOCK(n); other++; UNLOCK(n); return p; }
B { LOCK(m); LOCK(n);
int v = one + other; UNLOCK(n); UNLOCK(m); assert(v == 10); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.1 changes one (guest.c:21) under m, releases that (guest.c:22), and changes other (guest.c:22) under n only then. In between thread 0.2 holds both locks and reads both (guest.c:24). Take both locks before the first change."}, ""},
	{"two changes under a lock for each, where a reader looks at one", `static volatile int one = 5, other = 5;
A { LOCK(m); one--; UNLOCK(m); LOCK(n); other++; UNLOCK(n); return p; }
B { LOCK(m); LOCK(n); int v = one; UNLOCK(n); UNLOCK(m); assert(v == 5); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a last element that is looked for before the lock", `static volatile struct { int head, tail; } d; static volatile int took[4];
A { if (d.head != d.tail) {
LOCK(m); int i = d.head;
d.head = i + 1; UNLOCK(m); assert(!took[i]++ && i < 1); } return p; }
MAIN { d.tail = 1; GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads d.head (guest.c:21) before it takes m (guest.c:22), under which thread 0.1 changes it (guest.c:23). Read it after taking m."}, ""},
	{"a look at a ring before the lock, which is made again", `static volatile struct { int head, tail; } d;
A { if (d.head != d.tail) { LOCK(m); if (d.head != d.tail) d.head++; else x++; UNLOCK(m); assert(!x); } return p; }
MAIN { d.tail = 1; GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); unused(); }`, nil, ""},
}
