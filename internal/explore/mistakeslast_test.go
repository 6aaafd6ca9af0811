package explore

// lastMistakes are mistakes about the last element of a queue with two ends.
var lastMistakes = []mistake{
	{"the last element, with atomic indices", `static atomic_int head, tail = 1, done; static volatile int jobs[2] = {5};
A { int t = tail - 1;
tail = t;
int h = head; if (h > t) { tail = h; return p; }
done += jobs[t]; return p; }
B {
int h = head; if (h >= tail) return p;
int v = jobs[h];
head = h + 1; done += v; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(done == 5); unused(); }`, []string{"Threads 0.1 and 0.2 both take jobs[0] (guest.c:24, guest.c:27), the last element", "Thread 0.1 looks at head (guest.c:23) and moves tail (guest.c:22), thread 0.2 looks at tail (guest.c:26) and moves head (guest.c:28)", "compare-exchange of head"}, ""},
	{"the last element, with a lock for thieves alone", `static volatile int top, bottom = 1, done; static volatile int jobs[2] = {5};
A {
if (top < bottom) { int b = bottom - 1;
bottom = b; done += jobs[b]; } return p; }
B { LOCK(m); if (top < bottom) { int t = top;
top = t + 1; int v = jobs[t]; z = v; } UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(done + z == 5); unused(); }`, []string{"both take jobs[0]", "Thread 0.1 looks at top (guest.c:22) and moves bottom (guest.c:23), thread 0.2 looks at bottom (guest.c:24) and moves top (guest.c:25)"}, ""},
	{"the last element, in an array that a pointer leads to", `static volatile int top, bottom = 1, done; static int jobs[2] = {5}; static volatile int *volatile of = jobs;
A { int b = bottom - 1; volatile int *j = of;
bottom = b; if (top > b) { bottom = b + 1; return p; }
done += j[b]; return p; }
B { int t = top; if (t >= bottom) return p;
volatile int *j = of; int v = j[t];
top = t + 1; z = v; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(done + z == 5); unused(); }`, []string{"both take jobs[0] (guest.c:23, guest.c:25), the last element"}, ""},
	{"two elements, and two ends", `static volatile int top, bottom = 2, done; static volatile int jobs[2] = {5, 6};
A { if (top < bottom) { int b = bottom - 1; bottom = b; done += jobs[b]; } return p; }
B { if (top < bottom) { int t = top; top = t + 1; done += jobs[t]; } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(done == 11); unused(); }`, []string{"change of done"}, ""},
	{"two counters, and a variable that both read", `static volatile int up, down = 1, both = 3;
A { int d = down; int v = up; down = d - 1; y = v + both; return p; }
B { int u = up; up = u + 1; z = both; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(y == 4); unused(); }`, nil, ""},
	{"two flags, and a variable that both change", `static volatile int f = 1, g, both;
A { if (!g) { f = f - 1; both++; } return p; }
B { if (f) { g = g + 1; both++; } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(both != 2); unused(); }`, nil, ""},
	{"a thief that claims by an exchange, and an owner that does too", `static atomic_int head, tail = 1, done; static volatile int jobs[2] = {5};
A { int t = tail - 1; tail = t; int h = head; if (h > t) { tail = h; return p; } int v = jobs[t];
if (h == t) { if (!atomic_compare_exchange_strong(&head, &h, h + 1)) v = 0; tail = t + 1; } done += v; return p; }
B { int h = head; if (h >= tail) return p; int v = jobs[h]; if (atomic_compare_exchange_strong(&head, &h, h + 1)) done += v; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); assert(done != 5); unused(); }`, nil, ""},
}
