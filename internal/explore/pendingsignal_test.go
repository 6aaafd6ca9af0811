package explore

import (
	"testing"

	"landgo/internal/compile"
)

// TestPendingSignals: signals that wait, those of the C library's range, and what a
// handler sees, as on a machine.
func TestPendingSignals(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
static volatile int n, go; static sem_t s; static pthread_t t;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void h(int g) { n = n + 1; }
static void mask(int how, int g) { sigset_t k; sigemptyset(&k); sigaddset(&k, g); pthread_sigmask(how, &k, 0); }
static void handle(int g, void (*f)(int)) { struct sigaction a; memset(&a, 0, sizeof a); a.sa_handler = f; sigfillset(&a.sa_mask); sigaction(g, &a, 0); }
#define A static void *a(void *p)
#define GO pthread_create(&t, 0, a, 0)
#define MAIN int main(void)
`
	for i, c := range []struct{ name, source, want string }{
		{"another signal while the first one's handler interrupts a wait", `
A { pthread_mutex_lock(&m); while (!go) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); return p; }
MAIN { handle(SIGUSR1, h); GO; pthread_kill(t, SIGUSR1); pthread_kill(t, SIGUSR1); pthread_mutex_lock(&m); go = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); }`, "verified"},
		{"another signal at a semaphore", `
A { if (sem_wait(&s)) go = 1; return p; }
MAIN { handle(SIGUSR1, h); handle(SIGUSR2, h); sem_init(&s, 0, 0); GO; pthread_kill(t, SIGUSR1); pthread_kill(t, SIGUSR2); sem_post(&s); pthread_join(t, 0); assert(!(go && n == 2)); }`, "assertion"},
		{"a register between two handlers", `
static void clobber(int g) { n = n + 1; if (n == 1) raise(SIGUSR2); __asm__ volatile("movq %0,%%xmm7" : : "r"(99L) : "xmm7"); }
A { long r; __asm__ volatile("movq %1,%%xmm7\n mov $39,%%eax\n syscall\n mov %%eax,%%edi\n mov $186,%%eax\n syscall\n mov %%eax,%%esi\n"
	"mov $10,%%edx\n mov $234,%%eax\n syscall\n movq %%xmm7,%0" : "=r"(r) : "r"(55L) : "rax", "rdi", "rsi", "rdx", "rcx", "r11", "xmm7", "memory");
	assert(r == 55); return p; }
MAIN { handle(SIGUSR1, clobber); handle(SIGUSR2, clobber); GO; pthread_join(t, 0); assert(n == 2); }`, "verified"},
		{"a signal that is ignored is forgotten", `
A { handle(SIGUSR1, SIG_IGN); handle(SIGUSR1, h); return p; }
MAIN { handle(SIGUSR1, h); mask(SIG_BLOCK, SIGUSR1); GO; raise(SIGUSR1); pthread_join(t, 0); mask(SIG_UNBLOCK, SIGUSR1); assert(n); }`, "assertion"},
		{"a signal that is waited for or forgotten", `
A { handle(SIGUSR1, SIG_IGN); return p; }
MAIN { handle(SIGUSR1, h); mask(SIG_BLOCK, SIGUSR1); raise(SIGUSR1); GO; sigset_t k; struct timespec z = {0, 0}; sigemptyset(&k); sigaddset(&k, SIGUSR1); assert(sigtimedwait(&k, 0, &z) > 0); pthread_join(t, 0); }`, "assertion"},
		// SIGRTMIN is 34 in glibc, and 35 in musl, which keeps 34 for itself.
		{"the first real-time signal interrupts", `
static volatile int x; static void look(int g) { n = x; }
A { x = 1; x = 2; return p; }
MAIN { handle(SIGRTMIN, look); GO; pthread_kill(t, SIGRTMIN); pthread_join(t, 0); assert(n != 1); }`, "assertion"},
		{"the first real-time signal's disposition", `
A { handle(SIGRTMIN, SIG_IGN); return p; }
MAIN { handle(SIGRTMIN, h); GO; raise(SIGRTMIN); pthread_join(t, 0); assert(n); }`, "assertion"},
		{"a real-time signal twice", `
A { mask(SIG_BLOCK, SIGRTMIN); raise(SIGRTMIN); raise(SIGRTMIN); mask(SIG_UNBLOCK, SIGRTMIN); return p; }
MAIN { handle(SIGRTMIN, h); GO; pthread_join(t, 0); assert(n == 2); }`, "verified"},
		{"a thread's own signals come first", `
A { return p; }
MAIN { handle(SIGUSR1, h); handle(SIGUSR2, h); mask(SIG_BLOCK, SIGUSR1); mask(SIG_BLOCK, SIGUSR2); GO; kill(getpid(), SIGUSR1); pthread_kill(pthread_self(), SIGUSR2);
	sigset_t k; int g; sigemptyset(&k); sigaddset(&k, SIGUSR1); sigaddset(&k, SIGUSR2); sigwait(&k, &g); assert(g == SIGUSR2); sigwait(&k, &g); assert(g == SIGUSR1); pthread_join(t, 0); }`, "verified"},
		{"those of faults before the others", `
A { return p; }
MAIN { mask(SIG_BLOCK, SIGHUP); mask(SIG_BLOCK, SIGFPE); GO; raise(SIGHUP); raise(SIGFPE);
	sigset_t k; int g; sigemptyset(&k); sigaddset(&k, SIGHUP); sigaddset(&k, SIGFPE); sigwait(&k, &g); assert(g == SIGFPE); pthread_join(t, 0); }`, "verified"},
		{"a wait for signals that another one ends may have got its own", `
A { sigset_t k; int g = 0; sigemptyset(&k); sigaddset(&k, SIGUSR1); sigwaitinfo(&k, 0) == SIGUSR1 ? (go = 1) : (go = 2); sigpending(&k); assert(!(n && go == 1)); return p; }
MAIN { handle(SIGUSR2, h); mask(SIG_BLOCK, SIGUSR1); GO; pthread_kill(t, SIGUSR2); kill(getpid(), SIGUSR1); pthread_join(t, 0); }`, "assertion"},
		{"its sender", `
static void info(int g, siginfo_t *i, void *u) { n = n * 4 + (i->si_code == SI_USER ? 1 : i->si_code == SI_TKILL ? 2 : 3); }
A { return p; }
MAIN { struct sigaction k; memset(&k, 0, sizeof k); k.sa_sigaction = info; k.sa_flags = SA_SIGINFO; sigaction(SIGUSR1, &k, 0);
	GO; pthread_join(t, 0); raise(SIGUSR1); kill(getpid(), SIGUSR1); mask(SIG_BLOCK, SIGUSR1); kill(getpid(), SIGUSR1); mask(SIG_UNBLOCK, SIGUSR1); assert(n == (2 * 4 + 1) * 4 + 1); }`, "verified"},
		{"the alternate stack says that it is in use", `
static char room[65536]; static void on(int g) { stack_t o; sigaltstack(0, &o); n = o.ss_flags; }
A { stack_t k = {.ss_sp = room, .ss_size = sizeof room}; sigaltstack(&k, 0); struct sigaction w; memset(&w, 0, sizeof w); w.sa_handler = on; w.sa_flags = SA_ONSTACK; sigaction(SIGUSR1, &w, 0);
	raise(SIGUSR1); assert(n == SS_ONSTACK); sigaltstack(0, &k); assert(k.ss_flags == 0); return p; }
MAIN { GO; pthread_join(t, 0); }`, "verified"},
		{"a name that a thread begins with", `A { char b[16] = ""; prctl(PR_GET_NAME, b); assert(b[0]); return p; } MAIN { GO; pthread_join(t, 0); }`, "verified"},
		{"a sleep takes no processor's time", `
static long on(clockid_t k) { struct timespec w; clock_gettime(k, &w); return w.tv_sec * 1000000000 + w.tv_nsec; }
A { long b = on(CLOCK_THREAD_CPUTIME_ID); usleep(100000); assert(on(CLOCK_THREAD_CPUTIME_ID) - b < 100000000); return p; }
MAIN { clock_t b = clock(); GO; pthread_join(t, 0); assert(clock() - b < 100000); struct rusage u; getrusage(RUSAGE_SELF, &u); assert(u.ru_utime.tv_usec < 100000);
	while (clock() - b < 1000) ; }`, "verified"},
	} {
		for _, cc := range libraries(i) {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				endsAs(t, onProgram(compile.Text(t, cc, head+c.source)), c.want, "optimal", "none")
			})
		}
	}
}
