// What the themes of C11, futexes, queued signals, sizes and the process need beyond.
#include <limits.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/time.h>
#ifndef __cplusplus
#include <threads.h>

// C11 threads. A result is thrd_success (0), thrd_busy, thrd_error, thrd_nomem or thrd_timedout.
static mtx_t mt[2];
static cnd_t cn;
static once_flag calls = ONCE_FLAG_INIT;
static tss_t ts;
static int small11(void *p) { P(51); me = 3; tss_set(ts, p); add(0, (int)(long)p); P(50); return (int)(long)p + 4; }
static int small11_exit(void *p) { P(51); me = 3; tss_set(ts, p); thrd_exit((int)(long)p); }
static int timed11(mtx_t *m) { return mtx_timedlock(m, &past); }
#endif

// Barriers and spin locks.
static pthread_barrier_t bar;
static pthread_spinlock_t spin;
static int arrive(void) { int r = pthread_barrier_wait(&bar); return r == PTHREAD_BARRIER_SERIAL_THREAD ? 1 : r; }

// Futexes.
static int fx[3]; // the last one is for owners alone: a small number in it may be a process of the machine
static int futex(int i, int op, int n, const void *t, int j, int n3) { int r = syscall(SYS_futex, &fx[i], op, n, t, &fx[j], n3); return r < 0 ? -errno : r; }
#define MANY(n) ((const void *)(long)(n)) // the operations that have two numbers take the second in the place of the time
static void change_word(int i, int x) { __atomic_store_n(&fx[i], x, 5); }

// Queued signals. A handler isn't interrupted by another, so that it may add up what it took.
#define RT0 SIGRTMIN
#define RT1 (SIGRTMIN + 1)
static void queued_handler(int n, siginfo_t *i, void *u) { int e = errno; (void)u; P(60); took[me] = took[me] * 10 + (n == RT0 ? 0 : 4) + i->si_value.sival_int; P(61); errno = e; }
static void act_info(int n) {
	struct sigaction a;
	memset(&a, 0, sizeof a);
	a.sa_sigaction = queued_handler;
	a.sa_flags = SA_SIGINFO | SA_RESTART;
	sigfillset(&a.sa_mask);
	sigaction(n, &a, 0);
}
#ifndef __GLIBC__ // musl has no such call
#define pthread_sigqueue(t, n, v) (v.sival_int ? pthread_kill(t, 0) : 0)
#endif
static int queue(int n, int x) { union sigval v; v.sival_int = x; return ERR(sigqueue(getpid(), n, v)); }
static sigset_t both(void) { sigset_t s; sigemptyset(&s); sigaddset(&s, RT0); sigaddset(&s, RT1); return s; }
static void mask_both(int how) { sigset_t s = both(); pthread_sigmask(how, &s, 0); }
static int taken_value(int ms) {
	sigset_t s = both();
	siginfo_t i;
	struct timespec t = {0, ms * 1000000L};
	int r = sigtimedwait(&s, &i, &t);
	return r < 0 ? -errno : (r == RT0 ? 0 : 10) + i.si_value.sival_int + (i.si_code == SI_QUEUE ? 0 : 100);
}
static int sigfd = -1;
static void signals_by_descriptor(void) { sigset_t s = both(); sigfd = signalfd(-1, &s, SFD_NONBLOCK); }
static int read_signal(void) { struct signalfd_siginfo i; int r = read(sigfd, &i, sizeof i); return r < 0 ? -errno : (int)i.ssi_signo - RT0 + 10 * (int)i.ssi_int; }

// Words, halves and bytes of the same memory.
static union { unsigned char b[16]; unsigned short s[8]; unsigned w[4]; unsigned long l[2]; } wide __attribute__((aligned(16)));
static int folded(unsigned long x) { return (int)((x ^ x >> 20 ^ x >> 40) & 0xfffff); }
static int swap_pair(unsigned long was, unsigned long want) {
	unsigned long d = 0, a = was;
	unsigned char ok;
	__asm__ volatile("lock cmpxchg16b %1; sete %0" : "=q"(ok), "+m"(wide), "+a"(a), "+d"(d) : "b"(want), "c"(want + 1) : "cc", "memory");
	return ok ? -1 : folded(a) ^ folded(d);
}
#define LOCKED(name, type, code) static int name(volatile type *p) { unsigned char c; __asm__ volatile("lock " code "; setc %0" : "=q"(c), "+m"(*p) : : "cc", "memory"); return c; }
LOCKED(set_bit0, unsigned, "btsl $0, %1")
LOCKED(reset_bit9, unsigned, "btrl $9, %1")
LOCKED(flip_bit1, unsigned, "btcl $1, %1")
LOCKED(negate_byte, unsigned char, "negb %1")
LOCKED(less_half, unsigned short, "subw $3, %1")
static int far_bit(long n) { unsigned char c; __asm__ volatile("lock btsq %2, %1; setc %0" : "=q"(c), "+m"(wide.l[0]) : "r"(n) : "cc", "memory"); return c; }

// The process's settings.
static int cores(void) { cpu_set_t s; CPU_ZERO(&s); return sched_getaffinity(0, sizeof s, &s) ? -errno : CPU_COUNT(&s) > 0; }
static int few(int n) { struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); r.rlim_cur = n; return ERR(setrlimit(RLIMIT_NOFILE, &r)); }
static int limit(void) { struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); return (int)r.rlim_cur < 100 ? (int)r.rlim_cur : 100; }
static int opened(void) { int f = open("data.txt", O_RDONLY); return f < 0 ? -errno : f; }
static int running(int which) { struct itimerval t; getitimer(which, &t); return t.it_value.tv_sec > 0; }
static int run_timer(int which, int seconds) { struct itimerval t = { { 0, 0 }, { seconds, 0 } }, o; int r = setitimer(which, &t, &o); return r ? -errno : o.it_value.tv_sec > 0; }
static int named(void) { char b[17] = { 0 }; prctl(PR_GET_NAME, b); return b[0] + b[1]; }
static void at_quick_exit_handler(void) { P(55); syscall(SYS_write, 1, "x", 1); }

// Objects that are destroyed while others may use them.
static pthread_mutexattr_t shared_attr;
static int conditions_by(pthread_cond_t *c, int clock) { pthread_condattr_t a; pthread_condattr_init(&a); pthread_condattr_setclock(&a, clock); return pthread_cond_init(c, &a); }
