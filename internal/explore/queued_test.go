package explore

import (
	"testing"

	"landgo/internal/compile"
)

const queuedHead = `
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define RT SIGRTMIN
#define say(...) (printf(__VA_ARGS__), fflush(stdout))
static volatile int seen, code;
static void handle(int sig, siginfo_t *i, void *u) { seen = seen * 10 + i->si_value.sival_int; code = i->si_code; }
static void act(int sig) { struct sigaction a; memset(&a, 0, sizeof a); a.sa_sigaction = handle; a.sa_flags = SA_SIGINFO; sigfillset(&a.sa_mask); sigaction(sig, &a, 0); }
static sigset_t all(void) { sigset_t s; sigfillset(&s); return s; }
static void mask(int how) { sigset_t s = all(); pthread_sigmask(how, &s, 0); }
static sigset_t only(int sig) { sigset_t s; sigemptyset(&s); sigaddset(&s, sig); return s; }
static int post(int sig, int v) { union sigval x = { .sival_int = v }; return sigqueue(getpid(), sig, x); }
static int await(int sig) { sigset_t s = only(sig); siginfo_t i; while (sigwaitinfo(&s, &i) < 0 && errno == EINTR) ; return i.si_value.sival_int; }
static int to(pthread_t t, int sig, int v) { union sigval x = { .sival_int = v }; return pthread_sigqueue(t, sig, x); }
`

// queuedPrograms are programs about signals that wait, with all that they can print.
var queuedPrograms = []struct {
	name, text string
	want       []string
}{
	{"real-time signals in the order of sending, behind lower ones that wait once",
		`int main(void) { act(RT); act(SIGUSR1); mask(SIG_BLOCK); post(RT, 1); post(RT, 2); post(SIGUSR1, 9); post(RT, 1); post(SIGUSR1, 8); mask(SIG_UNBLOCK); say("%d\n", seen); }`,
		[]string{"9121"}},
	{"to a thread that waits for them", `
static void *run(void *p) { int a = await(RT); say("%d%d\n", a, await(RT)); return p; }
int main(void) { pthread_t t; mask(SIG_BLOCK); pthread_create(&t, 0, run, 0); to(t, RT, 1); to(t, RT, 2); pthread_join(t, 0); }`,
		[]string{"12"}},
	{"to a thread that has a handler", `
static void *run(void *p) { mask(SIG_UNBLOCK); while (seen < 10) ; say("%d\n", seen); return p; }
int main(void) { pthread_t t; act(RT); mask(SIG_BLOCK); pthread_create(&t, 0, run, 0); to(t, RT, 1); to(t, RT, 2); pthread_join(t, 0); }`,
		[]string{"12"}},
	{"by two threads", `
static void *run(void *p) { post(RT, (long)p); return p; }
int main(void) { pthread_t t, u; mask(SIG_BLOCK); pthread_create(&t, 0, run, (void *)1); pthread_create(&u, 0, run, (void *)2); pthread_join(t, 0); pthread_join(u, 0);
	int a = await(RT); say("%d%d\n", a, await(RT)); }`,
		[]string{"12", "21"}},
	{"to two threads that wait", `
static int got[2];
static void *run(void *p) { got[(long)p] = await(RT); return p; }
int main(void) { pthread_t t, u; mask(SIG_BLOCK); pthread_create(&t, 0, run, (void *)0); pthread_create(&u, 0, run, (void *)1); post(RT, 1); post(RT, 2); pthread_join(t, 0); pthread_join(u, 0);
	say("%d%d\n", got[0], got[1]); }`,
		[]string{"12", "21"}},
	{"to threads that take the first in either order", `
static int first[3]; static __thread int me;
static void note(int g, siginfo_t *i, void *u) { first[me] = first[me] * 10 + i->si_value.sival_int; }
static void *open(void *p) { me = 1 + (long)p; mask(SIG_UNBLOCK); getppid(); return p; }
int main(void) { pthread_t t, u; struct sigaction a = { .sa_sigaction = note, .sa_flags = SA_SIGINFO }; sigaction(RT, &a, 0); mask(SIG_BLOCK);
	pthread_create(&t, 0, open, (void *)0); pthread_create(&u, 0, open, (void *)1); post(RT, 1); post(RT, 2); pthread_join(t, 0); pthread_join(u, 0); mask(SIG_UNBLOCK);
	say("%d %d %d\n", first[0], first[1], first[2]); }`,
		[]string{"0 0 12", "0 1 2", "0 12 0", "0 2 1", "12 0 0", "2 0 1", "2 1 0"}},
	{"its sender", `
static int codeOf(void) { seen = 0; mask(SIG_UNBLOCK); mask(SIG_BLOCK); return code; }
int main(void) { act(SIGUSR1); act(RT); mask(SIG_BLOCK); kill(getpid(), SIGUSR1); int a = codeOf(); raise(SIGUSR1); int b = codeOf(); post(SIGUSR1, 1); int c = codeOf(); kill(getpid(), RT); say("%d %d %d %d\n", a, b, c, codeOf()); }`,
		[]string{"0 -6 -1 0"}},
	{"ignored while they wait", `int main(void) { act(RT); mask(SIG_BLOCK); post(RT, 1); post(RT, 2); signal(RT, SIG_IGN); act(RT); mask(SIG_UNBLOCK); post(RT, 3); say("%d\n", seen); }`,
		[]string{"3"}},
	{"not as if the kernel had sent it", `
static void *run(void *p) { return p; }
int main(void) { pthread_t t; siginfo_t i; memset(&i, 0, sizeof i); act(RT); i.si_value.sival_int = 4;
	long own = syscall(SYS_rt_sigqueueinfo, getpid(), RT, &i); i.si_code = SI_TKILL; int to = syscall(SYS_rt_tgsigqueueinfo, getpid(), 1, RT, &i) < 0 ? errno : 0;
	say("%ld %d %d %d\n", own, seen, to, (int)syscall(SYS_rt_sigqueueinfo, getpid(), RT, 0) < 0 && errno == EFAULT); }`,
		[]string{"0 4 1 1"}},
	{"by a descriptor", `
int main(void) { sigset_t s = only(RT); struct signalfd_siginfo i[3]; mask(SIG_BLOCK); int fd = signalfd(-1, &s, 0); post(RT, 1); post(RT, 2); kill(getpid(), RT);
	int n = read(fd, i, sizeof i) / sizeof *i; say("%d %d%d %d %d %d\n", n, i[0].ssi_int, (int)i[1].ssi_ptr, i[1].ssi_code, i[2].ssi_code, i[2].ssi_pid == getpid()); }`,
		[]string{"3 12 -1 0 1"}},
	{"of a timer, and of a thread", `
int main(void) { timer_t a; struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = RT, .sigev_value.sival_int = 7 }; struct itimerspec v = { { 0, 0 }, { 0, 1 } };
	mask(SIG_BLOCK); timer_create(CLOCK_MONOTONIC, &e, &a); post(RT, 1); timer_settime(a, 0, &v, 0); int one = await(RT); say("%d%d\n", one, await(RT)); }`,
		[]string{"17"}},
}

// TestQueuedSignals: programs can print the outputs that a person says, with and without a
// reduction; and the machine prints nothing else.
func TestQueuedSignals(t *testing.T) {
	t.Parallel()
	for _, c := range queuedPrograms {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			guest := compile.Text(t, "gcc", queuedHead+c.text)
			printsOnly(t, guest, c.want, []string{"sleep", "optimal"}, 20, func(int) string { return "QUEUED=1" })
		})
	}
}
