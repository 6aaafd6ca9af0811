package explore

// lifeMistakes are mistakes about what is there: announced before it is made, used when it is gone.
var lifeMistakes = []mistake{
	{"an argument that is changed", `A {
int i = *(volatile int *)p; x |= i; return p; }
MAIN { pthread_t t[2]; int i; for (i = 1; i < 3; i++)
pthread_create(&t[i - 1], 0, a, &i);
for (i = 0; i < 2; i++) pthread_join(t[i], 0);
assert(x == 3); unused(); }`, []string{"Thread 0 creates thread 0.1 (guest.c:23) and changes main::i (guest.c:24) before that has read it (guest.c:21)"}, ""},
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
	{"an array as large as a structure", `static struct node { long magic; struct node *next; } *volatile one; static long *v;
A { volatile long *w = v; long n = w[1]; w[1] = n + 1; return p; }
MAIN {
v = calloc(2, sizeof *v);
v[1] = 5; GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(!one && v[1] == 7); unused(); }`, []string{"change of block + 8 (allocated at guest.c:23) (guest.c:21)"}, ""},
	{"a structure as large as one whose name begins as a library's", `typedef struct __list { struct __list *next; long a; } list; static list *volatile l;
struct __flag { int on, off; long a; } *volatile f;
A { f->on++; return p; }
MAIN {
f = calloc(1, sizeof *f);
GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(!l && f->on == 2); unused(); }`, []string{"change of block (allocated at guest.c:24) (guest.c:22)"}, ""},
	{"a structure whose name begins as a library's", `struct __node { long magic, count; } *volatile one;
A { one->count++; return p; }
MAIN {
one = calloc(1, sizeof *one);
GO(a); pthread_t b_; pthread_create(&b_, 0, a, 0); JOIN(a); JOIN(b); assert(one->count == 2); unused(); }`, []string{"change of __node.count (allocated at guest.c:23) (guest.c:21)"}, ""},
	{"a block that is replaced, and freed too early", `static int *volatile g; static volatile int sum;
A { int *n = g;
sum = *n; return p; }
MAIN { g = calloc(1, 4); GO(a); int *o = g; g = calloc(1, 4);
free(o); JOIN(a); unused(); }`, []string{"Thread 0.1 takes the pointer from g (guest.c:21), and thread 0 frees the block (guest.c:24) before thread 0.1 is done with it (guest.c:22)"}, ""},
	{"a block in one that is replaced, and freed too early", `struct in { int *volatile v; }; static struct in *volatile g; static volatile int sum;
A { struct in *i = g; int *n = i->v;
sum = *n; return p; }
static struct in *new(void) { struct in *i = malloc(sizeof *i); i->v = calloc(1, 4); return i; }
MAIN { g = new(); GO(a); struct in *o = g; g = new();
free(o->v); free(o); JOIN(a); unused(); }`, []string{"Thread 0.1 takes the pointer from", "(guest.c:21), and thread 0 frees the block (guest.c:25) before thread 0.1 is done with it (guest.c:2"}, ""},
	{"a free of a block whose user says that it is done", `static struct { volatile int done, left; } *s;
A { s->done = 1;
s->left = 2; return p; }
MAIN { s = calloc(1, sizeof *s); GO(a); while (!s->done) ;
free(s); JOIN(a); unused(); }`, []string{"Thread 0 frees the block (guest.c:24) when it has seen what thread 0.1, which it created, writes to", "(guest.c:21), and that thread still uses the block after that (guest.c:22). Join it before the free."}, ""},
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
	{"announced before it is written", `A {
z = 1;
x = 5; return p; }
B { if (z)
y = x + 1; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y != 1); unused(); }`, []string{"Thread 0.2 finds by z (guest.c:23) that it can use x (guest.c:24)", "sets z (guest.c:21) before it writes x (guest.c:22)"}, ""},
	{"a block whose end isn't what changed last", `static int *top;
A { LOCK(m); int *f = top; y++; UNLOCK(m);
if (f) x = *f; return p; }
B { LOCK(m); y++; int *f = top; top = 0; UNLOCK(m);
free(f); return p; }
MAIN { top = calloc(1, 4); GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"takes the pointer from top under m (guest.c:21)", "still uses the block (guest.c:22)", "frees it (guest.c:24)"}, "thread 0.2 frees the block (guest.c:24) before thread 0.1 uses it (guest.c:22)"},
	{"a thread-local variable of a thread that has ended", `static _Thread_local struct { int a, b[2]; } own; static int *shown;
A { LOCK(m);
shown = &own.b[1]; UNLOCK(m); own.a = 1; return p; }
B { LOCK(m); int *o = shown; UNLOCK(m);
if (o) y = *o; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 finds the address of own.b[1] of thread 0.1 in shown (guest.c:23), and thread 0.1, whose memory that is, has ended"}, "thread 0.1 ends before thread 0.2 uses own.b[1] of thread 0.1 (guest.c:24)"},
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
	{"an address of a stack that is returned", `A {
int r[2]; int *volatile q = r; q[0] = 7; return q; }
MAIN { GO(a); void *r;
pthread_join(a_, &r);
assert(*(int *)r == 7); unused(); }`, []string{"Thread 0.1 ends with an address of its own stack, which thread 0 takes by joining it (guest.c:23), and thread 0 uses that (guest.c:24)", "malloc"}, ""},
	{"an address of a stack that is left in memory", `static int *volatile lent;
A { int r[2]; lent = r; return p; }
MAIN { GO(a); JOIN(a); y = *lent; unused(); }`, nil, ""},
}
