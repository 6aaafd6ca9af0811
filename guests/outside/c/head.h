// What all programs share. Their shared variables are atomic, so that the order
// of accesses is the processor's too; what each thread saw is its own until it
// is joined. P is a point where a native run may be delayed, and nothing here.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#ifndef __GLIBC__ // musl has less
#define PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP { { { PTHREAD_MUTEX_RECURSIVE } } }
#define PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP { { { PTHREAD_MUTEX_ERRORCHECK } } }
#define PTHREAD_RWLOCK_PREFER_READER_NP 0
#define PTHREAD_RWLOCK_PREFER_WRITER_NP 0
#define PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP 0
#define pthread_rwlockattr_setkind_np(a, kind) ((void)kind)
#define pthread_cond_clockwait(c, m, clock, t) pthread_cond_timedwait(c, m, t)
#endif

#ifdef POINTS
#ifdef __cplusplus
extern "C"
#endif
void point(int);
#define P(i) point(i)
#else
#define P(i) ((void)0)
#endif

#define THREADS 4
#define SEEN 24
static int seen[THREADS][SEEN], seens[THREADS];
static __thread int me;
static __thread int silent; // nothing is seen: it may go on when the rest is reported
static void see(int x) { if (!silent && seens[me] < SEEN) seen[me][seens[me]++] = x; }
#define SEE(x) see(x)
#define ERR(x) ((x) == -1 ? errno : 0)

static int v[2], took[THREADS];
static int get(int i) { return __atomic_load_n(&v[i], 5); }
static void put(int i, int x) { __atomic_store_n(&v[i], x, 5); }
static void add(int i, int x) { __atomic_fetch_add(&v[i], x, 5); }

static pthread_t th[THREADS];
static pthread_mutex_t m[2];
static pthread_cond_t c;
static int flag;
static sem_t s[2];
static const struct timespec past = {1, 0};
static struct timespec start;

static void text(char **at, int x) {
	char digits[12];
	int n = 0;
	if (x < 0) { *(*at)++ = '-'; x = -x; }
	do digits[n++] = '0' + x % 10; while (x /= 10);
	while (n) *(*at)++ = digits[--n];
}
// report prints the outcome: v, and what each thread saw. It aborts at one that
// is among the program's arguments.
static char **wrongs;
static void report(void) {
	char line[4096], *at = line;
	text(&at, get(0)); *at++ = ','; text(&at, get(1));
	for (int t = 0; t < THREADS; t++) {
		*at++ = ' '; *at++ = '0' + t; *at++ = ':';
		for (int i = 0; i < seens[t]; i++) { if (i) *at++ = ','; text(&at, seen[t][i]); }
		if (took[t]) { *at++ = '!'; text(&at, took[t]); }
	}
	*at++ = '\n';
	syscall(SYS_write, 1, line, at - line);
	at[-1] = 0;
	for (char **bad = wrongs; bad && *bad; bad++) if (!strcmp(*bad, line)) abort();
}

static void nap(void) { struct timespec d = {0, 2000000}; SEE(ERR(nanosleep(&d, 0))); }
static long long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static struct timespec soon(int clock) {
	struct timespec t;
	clock_gettime(clock, &t);
	if ((t.tv_nsec += 1000000) >= 1000000000) { t.tv_nsec -= 1000000000; t.tv_sec++; }
	return t;
}

// Signals.
static void on(int n) { int e = errno; P(60); __atomic_fetch_add(&took[me], n == SIGUSR1 ? 1 : 100, 5); P(61); errno = e; }
static void other(int n) { int e = errno; P(62); __atomic_fetch_add(&took[me], n == SIGUSR1 ? 10 : 1000, 5); errno = e; }
static void change(int n) { int e = errno; P(62); add(0, 10); P(63); errno = e; }
static void act(int n, void (*f)(int), int flags) {
	struct sigaction a;
	memset(&a, 0, sizeof a);
	a.sa_handler = f;
	a.sa_flags = flags;
	sigaction(n, &a, 0);
}
static int disposition(int n) {
	struct sigaction a;
	sigaction(n, 0, &a);
	return a.sa_handler == SIG_DFL ? 0 : a.sa_handler == SIG_IGN ? 1 : a.sa_handler == on ? 2 : 3;
}
static sigset_t set(int n) { sigset_t s; sigemptyset(&s); if (n) sigaddset(&s, n); return s; }
static void mask(int how, int n) { sigset_t s = set(n); pthread_sigmask(how, &s, 0); }
static int masked(int n) { sigset_t s; pthread_sigmask(SIG_BLOCK, 0, &s); return sigismember(&s, n); }
static int pending(int n) { sigset_t s; sigpending(&s); return sigismember(&s, n); }
static int taken(int n) { sigset_t s = set(n); struct timespec none = {0, 0}; int r = sigtimedwait(&s, 0, &none); return r < 0 ? -errno : r; }
static int robbed(int n) { sigset_t s = set(n); siginfo_t i; i.si_signo = -1; int r = sigwaitinfo(&s, &i); return r < 0 ? i.si_signo * errno : r + i.si_signo; }
static int awaited(int n) { sigset_t s = set(n); int r = 0; sigwait(&s, &r); return r; }
static void suspend(void) { sigset_t s = set(0); sigsuspend(&s); }
static char alternate[THREADS][32768];
static int above(void) {
	stack_t s;
	memset(&s, 0, sizeof s);
	s.ss_sp = alternate[me];
	s.ss_size = sizeof alternate[me];
	return ERR(sigaltstack(&s, 0));
}
static void where(int n) { char here; __atomic_fetch_add(&took[me], &here >= alternate[me] && &here < alternate[me] + sizeof alternate[me] ? 1000 : 1, 5); }

// Memory: two pages that are mapped, room for one, a third; and accesses that
// may fault.
static char *page;
static int unmapped;
static __thread sigjmp_buf back;
static __thread volatile int probing;
static void wrong(int n) { if (probing) siglongjmp(back, 1); signal(n, SIG_DFL); }
static int peek(volatile char *p) { int x; if (sigsetjmp(back, 1)) x = -1; else { probing = 1; x = *p; } probing = 0; return x; }
static int poke(volatile char *p, int x) { if (sigsetjmp(back, 1)) x = -1; else { probing = 1; *p = x; } probing = 0; return x; }
static void pages(void) {
	act(SIGSEGV, wrong, 0);
	page = (char *)mmap(0, 4 * 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + 2 * 4096, 4096); // room between
	page[0] = 1; page[4096] = 2;
}
static int mapped(void *p) { return p == MAP_FAILED ? errno : 0; }
static long bottom;
static void rise(int pages) { syscall(SYS_brk, bottom + 4096 * pages); }
static int height(void) { return (syscall(SYS_brk, 0) - bottom) / 4096; }
static void base(void) {
	void *volatile first = malloc(1); // glibc's heap is there
	free(first);
	act(SIGSEGV, wrong, 0);
	bottom = (syscall(SYS_brk, 0) + 4095) & ~4095L;
	rise(1);
}

// Descriptors.
static int fd[2];
static int taste(int f) { char b = 0; errno = 0; return read(f, &b, 1) == 1 ? b : -errno; }

// Pipes, sockets and counters. What is written is a byte, once or twice; what is read is told.
static int eve, ep;
static volatile char *common;
#define INOUT (POLLIN | POLLOUT)
#define EDGE (EPOLLIN | EPOLLET)
#define ONE (EPOLLIN | EPOLLONESHOT)
static void tell(int f, int x, int n) { char b[2]; b[0] = x; b[1] = x + 1; int r = write(f, b, n); SEE(r < 0 ? -errno : r); }
static void hear(int f, int n) { char b[2] = { 0, 0 }; int r = read(f, b, n); SEE(r < 0 ? -errno : r); SEE(b[0]); SEE(b[1]); }
static int polled(int f, int e, int ms) { struct pollfd p; p.fd = f; p.events = e; p.revents = 0; int r = poll(&p, 1, ms); return r < 0 ? -errno : p.revents; }
static int selected(int f, int ms) {
	struct timeval t = {0, ms * 1000};
	fd_set s;
	if (f < 0) return -1;
	FD_ZERO(&s);
	FD_SET(f, &s);
	int r = select(f + 1, &s, 0, 0, &t);
	return r < 0 ? -errno : r;
}
static char much[1 << 19];
static int stuff(int f, int n) { int r = write(f, much, n); return r < 0 ? -errno : r; }
static int drain(int f, int n) { int r = read(f, much, n); return r < 0 ? -errno : r; }
static int raised(int f, int x) { unsigned long long n = x; return ERR(write(f, &n, 8)); }
static int lowered(int f) { unsigned long long n = 0; return read(f, &n, 8) < 0 ? -errno : (int)n; }
static int watch(int op, int f, int e) { struct epoll_event v; v.events = e; v.data.u64 = f == eve ? 2 : 1; return ERR(epoll_ctl(ep, op, f, &v)); }
static int events(int n, int ms) {
	struct epoll_event v[2];
	int r = epoll_wait(ep, v, n, ms), x = r;
	if (r < 0) return -errno;
	for (int i = 0; i < r; i++) x = x * 1000 + v[i].data.u64 * 100 + v[i].events;
	return x;
}

// Texts in shared words, which are stored whole.
static union { int word; char text[8]; } tx[2];
static int texted[2];
static void write_text(int i, int x) { __atomic_store_n(&tx[i].word, '0' + x, 5); }
static int first(int i) { return __atomic_load_n(&tx[i].text[0], 5); }
static int scanned(int i) { int x = -1; sscanf(tx[i].text, "%d", &x); return x; }
static int printed(int i) { char b[16]; snprintf(b, sizeof b, "%s", tx[i].text); return b[0]; }

// Keys, once, exit.
static pthread_key_t key[2];
static void dies(void *p) { P(58); add(0, (int)(long)p); }
static void dies_twice(void *p) { P(58); add(1, (int)(long)p); if ((long)p > 1) pthread_setspecific(key[1], (void *)1); }
static pthread_once_t once[2];
#if defined __GLIBC__ && defined __cplusplus
extern "C" int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern "C" void *__dso_handle;
#define AT_END(f, p) __cxa_thread_atexit_impl(f, (void *)(p), &__dso_handle)
#elif defined __GLIBC__
extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);
extern void *__dso_handle;
#define AT_END(f, p) __cxa_thread_atexit_impl(f, (void *)(p), &__dso_handle)
#else
#define AT_END(f, p) f((void *)(p))
#endif
static void dies_often(void *p) { P(51); add(1, 1); if ((long)p > 1) pthread_setspecific(key[0], (void *)((long)p - 1)); else pthread_setspecific(key[0], p); }
static void dies_across(void *p) { P(51); SEE(get(0)); pthread_setspecific(key[1], p); }
static void dies_looking(void *p) { P(51); SEE(get(0)); P(50); put(1, (int)(long)p); SEE((int)(long)pthread_getspecific(key[0])); }
static void dies_making(void *p) { pthread_key_t k; P(51); if (pthread_key_create(&k, dies)) return; SEE((int)k - (int)key[0]); P(50); pthread_setspecific(k, p); }
static void dies_deleting(void *p) { P(51); SEE(pthread_key_delete(key[1])); add(0, 1); }
static void dies_locking(void *p) { pthread_mutex_lock(&m[0]); int q = get(0); P(51); put(0, q + (int)(long)p); pthread_mutex_unlock(&m[0]); }
static void dies_posting(void *p) { P(51); sem_post(&s[0]); P(50); add(0, (int)(long)p); }
static void dies_registering(void *p) { P(51); add(0, 1); AT_END(dies, p); }
static void init(void) { P(57); int q = get(0); P(59); put(0, q * 2 + 1); }
static void undo(void *p) { P(56); add(0, (int)(long)p); }
static void at_exit(void) { P(55); syscall(SYS_write, 1, "x", 1); }

// Small threads.
static int tinies, silenced;
#define TINY P(51); me = 3; silent = silenced;
static void *tiny(void *p) { TINY add(0, (int)(long)p); return p; }
static void *tiny_key(void *p) { TINY pthread_setspecific(key[0], p); P(50); return p; }
static void *tiny_end(void *p) { TINY AT_END(dies_looking, p); P(50); return p; }
static void *tiny_exit(void *p) { TINY pthread_setspecific(key[0], p); AT_END(dies, p); pthread_exit(p); }
static void *tiny_holding(void *p) { TINY pthread_mutex_lock(&m[1]); put(1, (int)(long)p); return p; }
static void *tiny_waiting(void *p) {
	TINY
	pthread_setspecific(key[0], p);
	pthread_cleanup_push(undo, p);
	SEE(ERR(sem_wait(&s[1])));
	pthread_cleanup_pop(0);
	return p;
}
static void *tiny_parent(void *p) {
	pthread_t q;
	TINY
	pthread_create(&q, 0, tiny_key, p);
	pthread_join(q, 0);
	SEE(get(0));
	return p;
}

static void mutex(pthread_mutex_t *m, int type, int robust, int protocol) {
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	if (robust) pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (protocol) pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutex_init(m, &a);
}
static int apart(void *(*f)(void *), long n) {
	pthread_t q;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	return pthread_create(&q, &a, f, (void *)n);
}
static void begin(void) { th[0] = pthread_self(); clock_gettime(CLOCK_MONOTONIC, &start); }
static long long since(void) { return now() - (start.tv_sec * 1000000000LL + start.tv_nsec); }

static pthread_rwlock_t rw;
static pthread_cond_t d;
static struct timespec when = {1, 2000000000};
static FILE *file;
static unsigned long dice;
#define RW (PROT_READ | PROT_WRITE)

// Objects of the stack, one after the other at the same place.
#define FRESH(name, before, of, after) __attribute__((noinline)) static int fresh_##name(void) { before; of; after; }
#define TWICE pthread_mutex_lock(&k); int r = pthread_mutex_trylock(&k); if (!r) pthread_mutex_unlock(&k); pthread_mutex_unlock(&k); return r
FRESH(normal, pthread_mutex_t k, mutex(&k, PTHREAD_MUTEX_NORMAL, 0, 0), TWICE)
FRESH(recursive, pthread_mutex_t k, mutex(&k, PTHREAD_MUTEX_RECURSIVE, 0, 0), TWICE)
FRESH(errorcheck, pthread_mutex_t k = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, , pthread_mutex_lock(&k); int r = pthread_mutex_lock(&k); pthread_mutex_unlock(&k); return r)
FRESH(static, pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, , TWICE)
static __thread int inits;
static void inited(void) { inits++; }
FRESH(once, pthread_once_t o = PTHREAD_ONCE_INIT; inits = 0, , pthread_once(&o, inited); pthread_once(&o, inited); return inits)
FRESH(semaphore, sem_t s, sem_init(&s, 0, 1), sem_wait(&s); return ERR(sem_trywait(&s)))
FRESH(rwlock, pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER, , pthread_rwlock_rdlock(&l); int r = pthread_rwlock_trywrlock(&l); pthread_rwlock_unlock(&l); return r)
FRESH(condition, pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_t k = PTHREAD_MUTEX_INITIALIZER, , pthread_mutex_lock(&k); pthread_cond_signal(&c); int r = pthread_mutex_trylock(&k); pthread_mutex_unlock(&k); return r)
