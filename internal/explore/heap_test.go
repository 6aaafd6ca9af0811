package explore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const heapHead = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#define GO(t, f) pthread_t t; pthread_create(&t, 0, f, 0)
#define KEEP(p) __asm__ volatile("" : "+r"(p))
`

// stackHead lends what is on a thread's stack to another thread.
const stackHead = `
static struct block { pthread_mutex_t m; pthread_cond_t c; sem_t s; volatile int done; } *volatile q;
static void *work(void *p);
#define WORK static void *work(void *p)
#define OWN static void *own(void *p)
#define LEND struct block b = { .m = PTHREAD_MUTEX_INITIALIZER, .c = PTHREAD_COND_INITIALIZER }; \
	sem_init(&b.s, 0, 0); q = &b; GO(t, work); pthread_detach(t)
`

// heapCase is a program with one error, or with none: want is the bug's kind, or
// a verdict; message is part of landgo's.
type heapCase struct{ name, source, check, want, message string }

var heapCases = []heapCase{
	{"a block that ends before the lock in it is released", `
static struct block { pthread_mutex_t m; volatile int done; } *q;
static void *work(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
int main(void)
{
	q = calloc(1, sizeof *q);
	GO(t, work);
	pthread_detach(t);
	while (!q->done) ;
	free(q);
	pthread_exit(0);
}`, "", "use-after-free", "unlocks a mutex at offset 0 of a block"},
	{"a block that ends after its lock was taken once more", `
static struct block { pthread_mutex_t m; volatile int done; } *q;
static void *work(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
int main(void)
{
	q = calloc(1, sizeof *q);
	GO(t, work);
	pthread_detach(t);
	while (!q->done) ;
	pthread_mutex_lock(&q->m);
	pthread_mutex_unlock(&q->m);
	free(q);
	pthread_exit(0);
}`, "", "verified", ""},
	{"pages that end before the lock in them is released", `
#include <sys/mman.h>
static struct block { pthread_mutex_t m; volatile int done; } *q;
static void *work(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
static void *own(void *p) { if (q->done) munmap(q, 4096); return p; }
int main(void)
{
	q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	GO(t, own);
	GO(u, work);
	pthread_detach(t), pthread_detach(u);
	pthread_exit(0);
}`, "", "use-after-free", "unlocks a mutex: writes 4 bytes at offset 0 of a mapping"},
	{"a block that another thread ends before the lock in it is released", `
static struct block { long before[4]; pthread_mutex_t m; volatile int done; } *q;
static void *work(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
static void *own(void *p) { if (q->done) free(q); return p; }
int main(void)
{
	q = calloc(1, sizeof *q);
	GO(t, own);
	GO(u, work);
	pthread_detach(t), pthread_detach(u);
	pthread_exit(0);
}`, "", "use-after-free", "at offset 32 of a block"},
	{"a stack that ends before the lock on it is released", stackHead + `
WORK { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
OWN { LEND; while (!b.done) ; return p; }
int main(void) { GO(t, own); pthread_detach(t); pthread_exit(0); }`, "", "stack-use-after-end", "unlocks a mutex on the stack of thread 0.1"},
	{"a stack that ends before a condition variable on it is signalled", stackHead + `
WORK { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); pthread_cond_signal(&q->c); return p; }
OWN {
	LEND;
	pthread_mutex_lock(&b.m);
	while (!b.done) pthread_cond_wait(&b.c, &b.m);
	pthread_mutex_unlock(&b.m);
	return p;
}
int main(void) { GO(t, own); pthread_detach(t); pthread_exit(0); }`, "", "stack-use-after-end", "signals a condition variable on the stack of thread 0.1"},
	{"a stack that ends before a semaphore on it is posted", stackHead + `
static volatile int f;
WORK { f = 1; sem_post(&q->s); return p; }
OWN { LEND; while (!f) ; return p; }
int main(void) { GO(t, own); pthread_detach(t); pthread_exit(0); }`, "", "stack-use-after-end", "posts a semaphore on the stack of thread 0.1"},
	{"a stack that ends after a condition variable on it is signalled", stackHead + `
WORK { pthread_mutex_lock(&q->m); q->done = 1; pthread_cond_signal(&q->c); pthread_mutex_unlock(&q->m); sem_post(&q->s); return p; }
OWN {
	LEND;
	pthread_mutex_lock(&b.m);
	while (!b.done) pthread_cond_wait(&b.c, &b.m);
	pthread_mutex_unlock(&b.m);
	sem_wait(&b.s);
	return p;
}
int main(void) { GO(t, own); pthread_detach(t); pthread_exit(0); }`, "", "verified", ""},
	{"each function of the allocator, used well", `
int main(void)
{
	char *list[16] = {malloc(3), calloc(3, 5), aligned_alloc(64, 64), strdup("abc"), strndup("abcdef", 2), memalign(128, 5), realloc(0, 9)};
	posix_memalign((void **)&list[7], 256, 1);
	if (asprintf(&list[8], "%d %s", 5, "five") != 6) return 1;
	size_t room = 0;
	ssize_t n = getline(&list[9], &room, stdin);
	assert(n == 1 && malloc_usable_size(list[0]) >= 3);
	list[0] = realloc(list[0], 3000);
	list[1] = realloc(list[1], 4);
	list[2] = reallocarray(list[2], 100, 7);
	memset(list[0], 1, 3000), memset(list[1], 1, 4), memset(list[2], 1, 700), memset(list[5], 1, 5);
	assert(!strcmp(list[3], "abc") && !strcmp(list[4], "ab") && !((unsigned long)list[7] % 256));
	printf("%s %s %p\n", list[3], list[8], (void *)list[9]);
	FILE *f = fopen("/proc/self/maps", "r");
	if (f) { char line[256]; while (fgets(line, sizeof line, f)); fclose(f); }
	for (int i = 0; i < 10; i++) free(list[i]);
	free(0);
}`, "leak-all", "verified", ""},
	{"whole pages", `
#ifndef __GLIBC__ /* musl has none */
#define pvalloc(n) ((n) < 0 ? 0 : memalign(4096, 4096))
#endif
int main(void) { char *p = pvalloc(10), *q = valloc(10); memset(p, 1, 4096); assert(!((long)p % 4096) && !((long)q % 4096) && !pvalloc(-1)); free(p), free(q); }`, "leak-all", "verified", ""},
	{"beyond whole pages", `
#ifndef __GLIBC__
#define pvalloc(n) memalign(4096, 4096)
#endif
int main(void) { char *p = pvalloc(10); p[4096] = 1; free(p); }`, "", "heap-overflow", ""},
	{"a thread's variable after its end", `
static __thread int v;
static void *lend(void *a) { v = 3; return &v; }
int main(void) { GO(t, lend); void *p; pthread_join(t, &p); return *(volatile int *)p == 6; }`, "", "stack-use-after-end", "thread 0.1, which has ended"},
	{"threads whose last act is a call of the library's", `
#define LAST __attribute__((optimize("optimize-sibling-calls")))
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int n;
static void init(void) { n++; }
LAST static void *give(void *a) { return malloc(8); }
LAST static void *begin(void *a) { return ((void *(*)(pthread_once_t *, void (*)(void)))pthread_once)(&once, init); }
int main(void)
{
	void *p;
	GO(t, give);
	GO(u, begin);
	GO(v, begin);
	pthread_join(t, &p), pthread_join(u, 0), pthread_join(v, 0);
	free(p);
	assert(n == 1);
}`, "leak-all", "verified", ""},
	{"no memory", `int main(void) { assert(!malloc((size_t)1 << 60) && errno == ENOMEM); errno = 0; assert(!calloc((size_t)1 << 33, (size_t)1 << 33) && errno == ENOMEM); }`, "", "verified", ""},
	{"what a stream in memory leaves behind", `
int main(void)
{
	char *p;
	size_t n;
	FILE *f = open_memstream(&p, &n);
	fputs("abc", f);
	fclose(f);
}`, "leak-all", "leak", "a block of"},
	{"what asprintf and getline give out is the program's", `
int main(void)
{
	char *p, *q = 0;
	size_t room = 0;
	if (asprintf(&p, "%d", 5) != 1 || getline(&q, &room, stdin) != 1) return 1;
}`, "leak-all", "leak", "2 blocks of"},
	{"strings of each length at the end of their blocks", `
int main(void)
{
	for (int n = 1; n < 70; n++) {
		char *p = malloc(n), *q = malloc(n);
		memset(p, 'a', n - 1), p[n - 1] = 0;
		strcpy(q, p);
		assert(strlen(q) == (size_t)n - 1 && !strcmp(p, q) && !memcmp(p, q, n) && strchr(p, 'b') == 0 && memchr(p, 'b', n) == 0 && strnlen(p, n) == (size_t)n - 1);
		free(p), free(q);
	}
}`, "", "verified", ""},
	{"strings at each place in a page", `
int main(void)
{
	for (int n = 1; n < 70; n++)
		for (int i = 0; i < 40; i++) {
			char *p = malloc(n);
			memset(p, 'a', n - 1), p[n - 1] = 0;
			assert(strlen(p) == (size_t)n - 1 && strnlen(p, 100) == (size_t)n - 1 && strncmp(p, "b", 100) && memchr(p, 0, 1000) == p + n - 1);
		}
}`, "", "verified", ""},
	{"a string without an end", `int main(void) { char *p = malloc(7); memset(p, 'x', 7); return strlen(p) == 3; }`, "", "heap-overflow", "0 bytes after the end of a block of 7 bytes"},
	{"copied beyond its end", `char to[20]; int main(void) { char *p = calloc(1, 7); memcpy(to, p, 9); }`, "", "heap-overflow", "of a block of 7 bytes"},
	{"printed without an end", `int main(void) { char *p = malloc(16); memset(p, 'x', 16); printf("%.16s", p), printf("%s", p); }`, "", "heap-overflow", "0 bytes after the end of a block of 16 bytes"},
	{"aligned memory to the byte", `int main(void) { volatile char *p = aligned_alloc(64, 64); p[64] = 1; }`, "", "heap-overflow", "0 bytes after the end of a block of 64 bytes"},
	{"an alignment that is none", `int main(void) { void *p; return posix_memalign(&p, 4, 9) != 22 || posix_memalign(&p, 24, 9) != 22 || posix_memalign(&p, 8, 9); }`, "", "verified", ""},
	{"memory given to nowhere", `int main(void) { void **p = (void **)16; KEEP(p); return posix_memalign(p, 8, 9); }`, "", "segfault", ""},
	{"one before", `int main(void) { volatile char *p = malloc(8); return p[-1]; }`, "", "heap-overflow", "1 byte before the start of a block of 8 bytes"},
	{"after realloc moved it", `int main(void) { volatile char *p = malloc(8), *next = malloc(8); char *q = realloc((void *)p, 4000); *q = 1; return p[0]; }`, "", "use-after-free", "a block of 8 bytes"},
	{"behind what realloc left of a block", `int main(void) { char *p = malloc(100); p = realloc(p, 33); KEEP(p); return p[33]; }`, "", "heap-overflow", "0 bytes after the end of a block of 33 bytes"},
	{"behind what a second realloc left", `int main(void) { char *p = malloc(120); p = realloc(p, 110); p = realloc(p, 100); KEEP(p); return p[101]; }`, "", "heap-overflow", "1 byte after the end of a block of 100 bytes"},
	{"what realloc left, freed", `int main(void) { char *p = malloc(120); p = realloc(p, 110); KEEP(p); free(p); return p[100]; }`, "", "use-after-free", "offset 100 of a block of 110 bytes"},
	{"strdup's block", `int main(void) { char *p = strdup("abc"); free(p); volatile char *q = p; KEEP(q); return *q; }`, "", "use-after-free", "a block of 4 bytes"},
	{"a stack variable is freed", `int main(void) { int x; int *p = &x; KEEP(p); free(p); }`, "", "invalid-free", "free of the stack of thread 0"},
	{"realloc into a block", `int main(void) { char *p = malloc(8); p += 2; KEEP(p); p = realloc(p, 9); return p == 0; }`, "", "invalid-free", "realloc of a pointer 2 bytes into a block of 8 bytes"},
	{"never allocated", `int main(void) { char *p = (char *)0x123450; KEEP(p); free(p); }`, "", "invalid-free", "free of 0x123450, which no allocator gave out"},
	{"writev of a freed buffer", `
int main(void) { char *p = malloc(8); memset(p, 'x', 8); struct iovec v[2] = {{"a", 1}, {p, 3}}; free(p); return writev(1, v, 2) != 4; }`, "", "use-after-free", "writev reads 3 bytes"},
	{"read into too short a buffer", `int main(void) { char *p = malloc(4); return read(0, p, 8) < 0; }`, "", "verified", ""}, // one byte comes
	{"fread beyond a block", `int main(void) { char *p = malloc(4); p += 4; return fread(p, 1, 1, stdin) == 0; }`, "", "heap-overflow", "after the end of a block of 4 bytes"},
	{"a local variable is returned", `
static void *lend(void *a) { (void)a; volatile int x = 7; void *p = (void *)&x; KEEP(p); return p; }
int main(void) { GO(t, lend); void *p; pthread_join(t, &p); return *(volatile int *)p == 6; }`, "", "stack-use-after-end", "thread 0.1, which has ended"},
	{"a local variable that outlives its readers", `
static void *reader(void *p) { assert(*(volatile int *)p == 7); return p; }
static void *owner(void *a) { volatile int x = 7; pthread_t t; pthread_create(&t, 0, reader, (void *)&x); pthread_join(t, 0); return a; }
int main(void) { GO(t, owner); GO(u, owner); pthread_join(t, 0); pthread_join(u, 0); }`, "", "verified", ""},
	{"a local variable, and a thread that looks whether its owner lives", `
static int *volatile shared;
static sem_t there;
static void *lend(void *a) { volatile int x = 7; shared = (int *)&x; sem_post(&there); return a; }
static void *look(void *a) { sem_wait(&there); volatile int v = *(volatile int *)shared; return a; }
int main(void) { sem_init(&there, 0, 0); GO(t, lend); GO(u, look); if (pthread_tryjoin_np(t, 0)) pthread_join(t, 0); pthread_join(u, 0); }`, "", "stack-use-after-end", "has ended"},
	{"a stack that is used again", `
static void *f(void *a) { volatile int x = 7; x++; return a; }
int main(void) { for (int i = 0; i < 3; i++) { GO(t, f); pthread_join(t, 0); } }`, "", "verified", ""},
	{"a stack of the program's own", `
static char stack[65536] __attribute__((aligned(64)));
static void *f(void *a) { volatile int x = 7; x++; return a; }
int main(void)
{
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setstack(&a, stack, sizeof stack);
	pthread_t t;
	pthread_create(&t, &a, f, 0);
	pthread_join(t, 0);
	memset(stack, 0, sizeof stack);
}`, "", "verified", ""},
	// The library's own end of a thread looks through the allocator's memory, and
	// landgo's join has to know what the thread returned.
	{"a thread's cache, given back by a destructor of its key", `
static pthread_key_t key;
static void *f(void *a) { char *p = malloc(16); p[15] = 1; pthread_setspecific(key, p); free(malloc(40)); return a; }
int main(void) { pthread_key_create(&key, free); int x; pthread_t t; pthread_create(&t, 0, f, &x); void *p; pthread_join(t, &p); return p != &x; }`, "leak-all", "verified", ""},
	{"what a thread with a clean-up handler returns", `
static void *f(void *a) { char *p = malloc(20); pthread_cleanup_push(free, p); pthread_exit(a); pthread_cleanup_pop(1); return 0; }
static void *g(void *a) { char *p = malloc(20); pthread_cleanup_push(free, p); pthread_cleanup_pop(1); return a; }
int main(void) { int x; pthread_t t; void *p, *q; pthread_create(&t, 0, f, &x); pthread_join(t, &p); pthread_create(&t, 0, g, &x); pthread_join(t, &q); return p != &x || q != &x; }`, "", "verified", ""},
	{"what the library keeps for itself", `
#include <locale.h>
#include <time.h>
#include <wchar.h>
int main(void)
{
	setenv("A", "b", 1), setenv("A", "longer", 1);
	time_t now = 1000000;
	localtime(&now);
	setlocale(LC_ALL, "");
	wprintf(L"%ls", L"wide");
	pthread_key_t k[40];
	for (int i = 0; i < 40; i++) pthread_key_create(k + i, 0), pthread_setspecific(k[i], k);
}`, "leak-all", "verified", ""},
	{"a list whose head is kept", `
struct node { struct node *next; } *head;
int main(void) { for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof *n); n->next = head; head = n; } }`, "leak", "verified", ""},
	{"the same, all of it", `
struct node { struct node *next; } *head;
int main(void) { for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof *n); n->next = head; head = n; } }`, "leak-all", "leak", "5 blocks of 40 bytes in all are never freed"},
	// The free has musl take its real allocator, not one that keeps a pointer to
	// the end of the last block.
	{"a list whose head is lost", `
struct node { struct node *next; } *head;
int main(void) { free(malloc(1)); for (int i = 0; i < 5; i++) { struct node *n = malloc(sizeof *n); n->next = head; head = n; } head = 0; }`, "leak", "leak", "5 blocks of 40 bytes in all are lost"},
	{"a pointer on a live thread's stack", `
static sem_t never, there;
static void *f(void *a) { char *volatile p = malloc(5); sem_post(&there); sem_wait(&never); free(p); return a; }
int main(void) { sem_init(&never, 0, 0), sem_init(&there, 0, 0); GO(t, f); sem_wait(&there); exit(0); }`, "leak", "verified", ""},
	{"a pointer on an ended thread's stack", `
static void *f(void *a) { free(malloc(1)); char *volatile p = malloc(5); *p = 1; return a; }
int main(void) { GO(t, f); pthread_join(t, 0); }`, "leak", "leak", "a block of 5 bytes is lost"},
	{"a flag that was never set", `int main(void) { struct { int a, b; } *p = malloc(8); p->a = 1; return p->b ? 0 : 0 * puts("no"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"an index that was never set", `volatile char t[1000]; int main(void) { unsigned char *p = malloc(1); return t[*p]; }`, "uninit", "uninitialised-read", "an address depends"},
	{"a text that was never set", `int main(void) { char *p = malloc(4); return write(1, p, 4) != 4; }`, "uninit", "uninitialised-read", "the output depends"},
	{"the length of a text that was never set", `int main(void) { char *p = malloc(8); p[7] = 0; KEEP(p); size_t n = strlen(p); KEEP(n); }`, "uninit", "uninitialised-read", "where a text ends depends"},
	{"texts that end before what was never set, and one that another thread writes", `
static char *p;
static sem_t written;
static void *f(void *a) { strcpy(p, "text"); sem_post(&written); return a; }
int main(void)
{
	sem_init(&written, 0, 0);
	p = malloc(40);
	GO(t, f);
	sem_wait(&written);
	char *q = malloc(40);
	strcat(strcpy(q, p), p);
	memcpy(q + 20, q, 20);
	if (strlen(q) != 8 || strchr(q, 'e') != q + 1 || strrchr(q + 20, 'x') != q + 26) return 1;
	pthread_join(t, 0);
}`, "uninit", "verified", ""},
	{"texts of two threads, and an allocator that reads what was in a block", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *shared; static int n;
static void *f(void *a) { pthread_mutex_lock(&m); char *q = malloc(50); strcpy(q, shared); strcat(q, "x"); strcpy(shared, q); n++; free(q); pthread_mutex_unlock(&m); return a; }
int main(int c, char **v) { shared = malloc(30); strcpy(shared, "ab"); pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
 char b[40]; snprintf(b, 40, "%s %d", shared, n); puts(b); char *d = strdup(b); char *s = strndup(d, 3); if (strcmp(d, s) == 0 || !strstr(d, "ab") || strchr(d, 'q') || strncmp(d, s, 3)) return 1; printf("%.3s %s\n", d, s); free(d); free(s); return strlen(shared) != 4 || c > 5; }`, "uninit", "verified", ""},
	{"the part that realloc added", `int main(void) { char *p = calloc(1, 4); p = realloc(p, 12); if (p[3]) return 1; if (p[8]) puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"what was never set, and realloc has moved", `int main(void) { char *p = malloc(40); p[0] = 1; p = realloc(p, 4000); if (!p[0]) return 1; if (p[20]) puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"the part that realloc added behind a block that moved", `int main(void) { char *p = calloc(1, 4); p = realloc(p, 4000); if (p[3]) return 1; if (p[3000]) puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"blocks that move and shrink, with bytes that never were set", `
int main(void)
{
	for (int i = 1; i < 60; i++) {
		char *p = malloc(200 + i), *q;
		p[0] = i, p[i] = i;
		p = realloc(p, 500 + i);
		if (p[0] != i || p[i] != i) return 1;
		p = realloc(p, 30), q = malloc(40 * (i % 9)), free(p), free(q);
	}
}`, "uninit", "verified", ""},
	{"equal to a number", `int main(void) { struct { int a, b; } *p = malloc(8); p->a = 1; KEEP(p); if (p->b == 77) puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"equal to a letter", `int main(void) { char *p = malloc(3); KEEP(p); if (p[1] == 'q') puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"equal to one of some", `
int main(void) { short *p = malloc(2); KEEP(p); switch (*p) { case 300: puts("x"); break; case 5: puts("y"); break; case 9000: puts("z"); } }`, "uninit", "uninitialised-read", "a branch depends"},
	{"equal to a number, and written", `
int main(void) { struct { char c; int b; } *p = malloc(8), *q = malloc(8); p->c = 7, p->b = 77; KEEP(p); *q = *p; KEEP(q); if (q->b == 77) puts("x"); if (q->c == 'q') puts("y"); }`, "uninit", "verified", ""},
	{"a block that is used again", `int main(void) { int *p = malloc(4); *p = 1; free(p); int *q = malloc(4); KEEP(q); if (*q == 0) puts("x"); }`, "uninit", "uninitialised-read", "a branch depends"},
	{"a variable of a function, where another left its own", `
static __attribute__((noinline)) int leave(void) { volatile int y[16]; for (int i = 0; i < 16; i++) y[i] = 9; return y[3]; }
static __attribute__((noinline)) int look(int k) { volatile int x[4]; if (k) x[2] = 7; return x[2]; }
static void *f(void *a) { leave(); if (look(0)) puts("x"); return a; }
int main(void) { GO(t, f); pthread_join(t, 0); }`, "uninit", "uninitialised-read", "a branch depends on memory of the stack"},
	{"a variable that is set on the way that is taken", `
static __attribute__((noinline)) int look(int k) { volatile int x[4]; if (k) x[2] = 7; return k ? x[2] : 3; }
struct pair { char c; int i; };
static struct pair copy;
static void *f(void *a) { if (look(1) == 7 && look(0) == 3) { volatile struct pair p; p.c = 1, p.i = 2; struct pair q = p; copy = q; char b[32]; strcpy(b, "abc"); if (strlen(b) != 3) puts("x"); } return a; }
int main(void) { GO(t, f); f(0); pthread_join(t, 0); }`, "uninit", "verified", ""},
	{"a text on the stack that nothing ends", `static void *f(void *a) { char b[16]; KEEP(b); b[0] = 'x'; size_t n = strlen(b); KEEP(n); return a; } int main(void) { GO(t, f); pthread_join(t, 0); }`, "uninit", "uninitialised-read", "where a text ends depends on memory of the stack"},
	{"a mutex that was never set up", `static void *f(void *a) { pthread_mutex_t *m = malloc(sizeof *m); KEEP(m); pthread_mutex_lock(m); pthread_mutex_unlock(m); free(m); return a; } int main(void) { GO(t, f); pthread_join(t, 0); }`, "uninit", "uninitialised-read", "depends on memory of the heap"},
	{"a reader that tries again, into variables that have no value before", `
static volatile unsigned version, data;
static void *f(void *a) { version = 1, data = 1, version = 2; return a; }
int main(void)
{
	GO(t, f);
	volatile unsigned k, x; // on the stack
	do k = version, x = data; while (k & 1 || version != k);
	pthread_join(t, 0);
	return x > 1;
}`, "uninit", "verified", ""},
	{"copied and added up, but not looked at", `
struct pair { char c; int i; } a, b;
int main(void)
{
	struct pair *p = malloc(sizeof *p), *q = malloc(sizeof *q);
	p->c = 1, p->i = 2;
	a = *p;
	memcpy(q, p, sizeof *q);
	b = *q;
	volatile unsigned *raw = malloc(12);
	raw[0] += raw[1];
	char *text = malloc(64);
	strcpy(text, "short");
	if (strlen(text) != 5 || memchr(text, 'x', 5) || strchr(text, 'y') || strcmp(text, "short") || p->i + q->i != 4) return 1;
	printf("%s %.3s %d\n", text, text, b.i);
	char *zero = calloc(3, 3);
	if (zero[8]) return 1;
}`, "uninit", "verified", ""},
}

// TestHeap: each error of the heap is found, at its byte, and correct programs have
// none, with landgo's allocator and with the C library's own. A replay of the
// schedule finds it again.
func TestHeap(t *testing.T) {
	t.Parallel()
	for i, c := range heapCases {
		for _, cc := range libraries(i) {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				bin, in := c.build(t, cc)
				for _, malloc := range inTurn(i/2, config.MallocTrusted, config.MallocNative) {
					c.look(t, bin, in, malloc)
				}
			})
		}
	}
}

// build compiles the program; in is its standard input.
func (c *heapCase) build(t *testing.T, cc string) (bin, in string) {
	t.Helper()
	bin, in = compile.Text(t, cc, heapHead+c.source, "-fno-builtin"), filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	return bin, in
}

// look runs it with an allocator.
func (c *heapCase) look(t *testing.T, bin, in string, malloc config.Malloc) {
	t.Helper()
	cfg := config.Default()
	cfg.Guest, cfg.Stdin, cfg.Out, cfg.Malloc = bin, in, config.NoFile, malloc
	if c.check != "" {
		cfg.CheckFor = []string{c.check}
	}
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := string(r.Verdict)
	if r.Verdict == result.Buggy {
		got = string(r.Bug.Kind)
		if !strings.Contains(r.Bug.Message, c.message) {
			t.Errorf("malloc %q: message %q, want %q in it", malloc, r.Bug.Message, c.message)
		}
		again, err := Replay(context.Background(), cfg, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
		if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
			t.Errorf("malloc %q: the replay ended so: %+v %v", malloc, again, err)
		}
	}
	if got != c.want {
		t.Errorf("malloc %q: %s (%s), want %s", malloc, got, r.Reason, c.want)
		if r.Bug != nil {
			t.Errorf("%s %+v", r.Bug.Message, r.Bug.Block)
		}
	}
}

// TestWrongAlignment: the result of an alignment that isn't a power of two isn't defined. The report
// says what to do.
func TestWrongAlignment(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", "#include <stdlib.h>\nstatic void *volatile p;\nint main(void) { p = aligned_alloc(3, 8); }"))
	r, err := Run(context.Background(), cfg, nil)
	if err != nil || r.Verdict != result.Invalid || !strings.HasPrefix(r.OwnCure(), "give it a power of two") {
		t.Errorf("%v: %s (%s)", err, r.Verdict, r.Reason)
	}
}
