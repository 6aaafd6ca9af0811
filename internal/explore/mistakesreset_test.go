package explore

// resetMistakes are mistakes about events that are set, and set back.
var resetMistakes = []mistake{
	{"an event that its waiter resets first", `static void set(void) { LOCK(m);
x = 1; pthread_cond_broadcast(&q); UNLOCK(m); }
static void reset(void) { LOCK(m);
x = 0; UNLOCK(m); }
static void await(void) { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); }
A { set(); return p; }
B { reset(); await(); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 sets x back to 0 (guest.c:23), and hasn't looked at it since thread 0.1 set it to 1 (guest.c:21). So thread 0.2 waits for ever (guest.c:25)", "Set it back where a look finds it set"}, ""},
	{"an event that is reset after the work", `static void await(void) { LOCK(m); while (!x) pthread_cond_wait(&q, &m); UNLOCK(m); }
A { for (int i = 0; i < 2; i++) { await(); z++;
LOCK(m); x = 0; UNLOCK(m); } return p; }
MAIN { GO(a); for (int i = 0; i < 2; i++) { LOCK(m);
x = 1; pthread_cond_signal(&q); UNLOCK(m); while (z == i) ; } JOIN(a); unused(); }`, []string{"Thread 0.1 sets x back to 0 (guest.c:22), and hasn't looked at it since thread 0 set it to 1 (guest.c:24)"}, ""},
	{"a flag that is begun with when others may have set it", `static volatile int told;
A { told = 1;
x = 1; while (x)
; return p; }
MAIN { GO(a); while (!told) ;
x = 0; JOIN(a); unused(); }`, []string{"Thread 0.1 sets x to 1 (guest.c:22) after thread 0 has set it to 0 (guest.c:25). So thread 0.1 waits for ever (guest.c:2", "Set it before another thread can reach it"}, ""},
	{"a state that is set over another one's last word", `A { x = 1;
x = 3; return p; }
MAIN { GO(a);
if (x != 3) x = 2;
while (x != 3) ; JOIN(a); unused(); }`, []string{"Thread 0 sets x to 2 (guest.c:23), and hasn't looked at it since thread 0.1 set it to 3 (guest.c:21). So thread 0 waits for ever (guest.c:24)", "Look at it and set it in one atomic step"}, ""},
	{"a gate that is open for a moment", `A { LOCK(m); while (!x)
pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); LOCK(m);
x = 1; pthread_cond_broadcast(&q); UNLOCK(m); LOCK(m);
x = 0; UNLOCK(m); JOIN(a); unused(); }`, []string{"Thread 0 sets x to 1 (guest.c:23) and back to 0 (guest.c:24) before thread 0.1 looks at it (guest.c:20), so thread 0.1 waits for ever (guest.c:21)", "never count down"}, ""},
	{"a flag that a loop waits for, and resets first", `A {
x = 1; return p; }
B {
x = 0; while (!x)
; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, []string{"Thread 0.2 sets x back to 0 (guest.c:23), and hasn't looked at it since thread 0.1 set it to 1 (guest.c:21)"}, ""},
	{"an event that its waiter takes", `static void take(void) { LOCK(m); while (!x) pthread_cond_wait(&q, &m); x = 0; UNLOCK(m); }
A { take(); return p; } B { LOCK(m); if (!y) { UNLOCK(m); take(); } else UNLOCK(m); return p; }
MAIN { GO(a); GO(b); LOCK(m); x = 1; pthread_cond_broadcast(&q); UNLOCK(m); LOCK(m); y = 1; UNLOCK(m); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"an event that its waiter looks at and resets", `A { LOCK(m); x = 1; pthread_cond_signal(&q); UNLOCK(m); return p; }
B { LOCK(m); int had = x; if (had) x = 0; y = had; while (!x) pthread_cond_wait(&q, &m); UNLOCK(m); return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a wait for another variable", `A { LOCK(m); x = 1; x = 0; pthread_cond_signal(&q); UNLOCK(m); z = 1; return p; }
B { if (z) { LOCK(m); int off = !x; while (off && !y) pthread_cond_wait(&q, &m); UNLOCK(m); } return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
	{"a flag that no thread sets again", `A { x = 1; while (x) ; return p; }
B { while (!x) ; x = 0; while (!x) ; return p; }
MAIN { GO(a); GO(b); JOIN(a); JOIN(b); unused(); }`, nil, ""},
}
