package explore

// versionMistakes are mistakes about a number that says whether data has changed, and what only looks so.
var versionMistakes = []mistake{
	{"a reader of a seqlock that looks once", `static atomic_uint seq; static struct { atomic_int a, b; } d;
A { seq++;
d.a = 5; d.b = 5; seq++; return p; }
B { unsigned s; while ((s = seq) & 1)
;
int v = d.a;
int w = d.b; (void)s;
assert(v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads seq (guest.c:23) before it reads d.a (guest.c:25) and d.b (guest.c:26), and not after that. Meanwhile thread 0.1 changes seq (guest.c:21) and the data. Read seq again at the end, and start over if it has changed."}, ""},
	{"a reader of a seqlock on the heap, with fences", `struct s { volatile unsigned seq; int a, b; } *d;
A { d->seq++; __sync_synchronize(); d->a = 5; d->b = 5; __sync_synchronize(); d->seq++; return p; }
B { unsigned s; while ((s = d->seq) & 1) ;
__sync_synchronize(); assert(d->a
 == d->b); return p; }
MAIN { d = calloc(1, sizeof *d); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 reads s.seq (allocated at guest.c:25) (guest.c:22) before it reads s.b", "and not after that"}, ""},
	{"a reader of a seqlock that takes an odd number", `static atomic_uint seq; static atomic_int d, e;
A { seq++; d = 5; e = 5;
seq++; return p; }
B { unsigned s; int v, w; do { s = seq; v = d;
w = e; } while (seq != s); assert(v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 finds seq the same before it reads the data and after that (guest.c:23, guest.c:24), but odd: thread 0.1 has begun a change (guest.c:21) and isn't done (guest.c:22). Start over while it is odd."}, ""},
	{"a seqlock that is as it should be", `static atomic_uint seq; static atomic_int d, e;
A { seq++; d = 5; e = 5; seq++; return p; }
B { unsigned s; int v, w; do { while ((s = seq) & 1) ; v = d; w = e; } while (seq != s); assert(v == w); assert(v); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a count of calls beside data", `static atomic_int calls; static atomic_int d, e;
A { calls++; d = 5; e = 5; return p; }
B { int c = calls; int v = d; int w = e; assert(c < 9 && v == w); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a total that is read before the last join, under the lock", `A { LOCK(m); x++; UNLOCK(m);
return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a);
LOCK(m); int v = x; UNLOCK(m); assert(v == 2); JOIN(b); unused(); }`, []string{"Thread 0 reads x (guest.c:23) without waiting for thread 0.2, which it created and which writes that (guest.c:20). Join the thread before the read."}, ""},
	{"an atomic total that is read before the last join", `A { z++; return p; }
MAIN { GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a);
int v = z; assert(v == 2); JOIN(b); unused(); }`, []string{"Thread 0 reads z (guest.c:22) without waiting for thread 0.2, which it created and which writes that (guest.c:20)."}, ""},
	{"a creator that takes part", `A { LOCK(m); x--; UNLOCK(m); return p; }
MAIN { x = 1; GO(a); LOCK(m); int v = x; x = v + 1; UNLOCK(m); assert(v == 0); JOIN(a); unused(); }`, nil, ""},
	{"a creator that looks until something is there", `A { z = 1; return p; }
MAIN { GO(a); int n = 0; while (!z && n < 3) n++; assert(n < 3); JOIN(a); unused(); }`, nil, ""},
	{"a creator that reads before the thread, which doesn't decide", `A { LOCK(m); x = 1; UNLOCK(m); LOCK(n); y = 1; UNLOCK(n); return p; }
MAIN { GO(a); LOCK(m); int v = x; UNLOCK(m); LOCK(n); int w = y; UNLOCK(n); assert(v || !w); JOIN(a); unused(); }`, nil, ""},
}
