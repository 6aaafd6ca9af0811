package explore

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// TestProcessSignals: which threads take a signal to the process, by two searches, by the
// C library's own pthread_create, and on the machine that the test runs on. Each program
// prints the letters of the threads that took the first signal and the second.
func TestProcessSignals(t *testing.T) {
	const head = `#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static __thread char me = 'm'; static atomic_int by[2][128];
static void h(int g) { by[g == SIGUSR2][(int)me]++; }
static void mask(int how, int g) { sigset_t k; sigemptyset(&k); sigaddset(&k, g); pthread_sigmask(how, &k, 0); }
static void send(int g) { kill(getpid(), g); }
static pthread_t t, u;
static void show(void) { getppid(); for (int g = 0; g < 2; g++) for (int c = 'a'; c <= 'm'; c++) if (by[g][c]) printf("%c%d", c, by[g][c]); puts(""); fflush(stdout); }
#define A static void *a(void *p) { me = 'a';
#define B static void *b(void *p) { me = 'b';
#define GO(t, f) pthread_create(&t, 0, f, 0)
#define MAIN int main(void) { signal(SIGUSR1, h); signal(SIGUSR2, h);
#define JOIN(t) pthread_join(t, 0)
`
	const take = `
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
static int take(void) { sigset_t k; struct timespec z = {0}; sigemptyset(&k); sigaddset(&k, SIGUSR1); return sigtimedwait(&k, 0, &z); }`
	const open = take + `
#include <semaphore.h>
static sem_t up, go;
A mask(SIG_UNBLOCK, SIGUSR1); sem_post(&up); while (sem_wait(&go)) ; return p; }`
	const both = `
static pthread_t m; static pthread_barrier_t r;`
	const waits = `
MAIN m = pthread_self(); pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); JOIN(t); show(); }`
	for i, c := range []struct{ name, source, want string }{
		{"while the first thread creates it", `
A send(SIGUSR1); return p; }
MAIN GO(t, a); JOIN(t); show(); }`, "a1|m1"},
		{"while the first thread creates another", `
A send(SIGUSR1); return p; }
B return p; }
MAIN GO(t, a); GO(u, b); JOIN(t); JOIN(u); show(); }`, "a1|b1|m1"},
		{"the first thread waits", `
static pthread_barrier_t r;
A pthread_barrier_wait(&r); send(SIGUSR1); return p; }
MAIN pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); JOIN(t); show(); }`, "m1"},
		{"to the number of a thread that ends", `
#include <sys/syscall.h>
static atomic_int number;
A number = syscall(SYS_gettid); return p; }
MAIN GO(t, a); while (!number) ; int r = syscall(SYS_tgkill, getpid(), number, SIGUSR1); JOIN(t); printf("%d", r); show(); }`, "-1|0|0a1"},
		{"two signals may be one", `
static pthread_barrier_t r;
A pthread_barrier_wait(&r); send(SIGUSR1); return p; }
B pthread_barrier_wait(&r); send(SIGUSR1); return p; }
MAIN pthread_barrier_init(&r, 0, 3); GO(t, a); GO(u, b); pthread_barrier_wait(&r); JOIN(t); JOIN(u); show(); }`, "a1m1|b1m1|m1|m2"},
		{"two signals, one to the thread", `
static pthread_t m; static pthread_barrier_t r;
A pthread_barrier_wait(&r); send(SIGUSR1); pthread_kill(m, SIGUSR1); return p; }
MAIN m = pthread_self(); pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); JOIN(t); show(); }`, "a1m1|m2"},
		{"another signal before the first thread has got to one", `
static pthread_barrier_t r;
A pthread_barrier_wait(&r); send(SIGUSR1); send(SIGUSR2); return p; }
MAIN pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); JOIN(t); show(); }`, "a1a1|a1m1|m1a1|m1m1"},
		{"the first thread blocks it", `
A send(SIGUSR1); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); JOIN(t); show(); mask(SIG_UNBLOCK, SIGUSR1); show(); }`, "m1"},
		{"the first thread alone blocks it", `
A mask(SIG_UNBLOCK, SIGUSR1); send(SIGUSR1); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); JOIN(t); show(); }`, "a1"},
		{"a thread waits for it", `
A sigset_t k; int g; sigemptyset(&k); sigaddset(&k, SIGUSR1); sigwait(&k, &g); h(g); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); send(SIGUSR1); JOIN(t); show(); }`, "a1"},
		{"another thread takes what one was to handle", open + `
B if (take() > 0) h(SIGUSR1); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); GO(u, b); sem_wait(&up); send(SIGUSR1); sem_post(&go); JOIN(t); JOIN(u); show(); }`, "|a1|b1"},
		{"another thread sees what one is to handle", open + `
B sigset_t k; sigpending(&k); if (sigismember(&k, SIGUSR1)) h(SIGUSR2); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); GO(u, b); sem_wait(&up); send(SIGUSR1); sem_post(&go); JOIN(t); JOIN(u); show(); }`, "|a1|a1b1|b1"},
		{"another thread takes what ended a wait", take + `
A sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR1); h(syscall(SYS_rt_sigtimedwait, &k, 0, 0, 8L) < 0 && errno == EINTR ? SIGUSR2 : SIGUSR1); return p; }
B if (take() > 0) h(SIGUSR1); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(t, a); GO(u, b); send(SIGUSR1); JOIN(u); send(SIGUSR1); JOIN(t); show(); }`, "a1|a1b1|b1a1"},
		{"ignored before the first thread has got to it", both + `
A pthread_barrier_wait(&r); send(SIGUSR1); signal(SIGUSR1, SIG_IGN); return p; }` + waits, "|m1"},
		{"ignored before a thread has got to its own", both + `
A pthread_barrier_wait(&r); pthread_kill(m, SIGUSR1); signal(SIGUSR1, SIG_IGN); return p; }` + waits, "|m1"},
		{"another handler before the first thread has got to it", both + `
static void other(int g) { by[1]['d']++; }
A pthread_barrier_wait(&r); pthread_kill(m, SIGUSR1); signal(SIGUSR1, other); return p; }` + waits, "d1|m1"},
		{"no handler before the first thread has got to it", both + `
A pthread_barrier_wait(&r); send(SIGUSR1); signal(SIGUSR1, SIG_DFL); return p; }` + waits, "m1|signal 10"},
		{"ignored before a wait for it ends", both + take + `
B sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR1); if (syscall(SYS_rt_sigtimedwait, &k, 0, 0, 8L) > 0) h(SIGUSR1); return p; }
MAIN mask(SIG_BLOCK, SIGUSR1); GO(u, b); pthread_kill(u, SIGUSR1); signal(SIGUSR1, SIG_IGN); send(SIGUSR1); signal(SIGUSR1, h); JOIN(u); show(); }`, "|b1"},
		{"a wait begins before the first thread has got to it", both + take + `
A pthread_barrier_wait(&r); send(SIGUSR1); sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR2);
	if (syscall(SYS_rt_sigtimedwait, &k, 0, 0, 8L) < 0) by[1]['d']++; return p; }
MAIN mask(SIG_BLOCK, SIGUSR2); pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); while (!by[0]['m'] && !by[0]['a']) ; pthread_kill(t, SIGUSR2); JOIN(t); show(); }`, "a1d1|m1|m1d1"},
		{"two signals, and a handler for one", `
static pthread_barrier_t r;
A pthread_barrier_wait(&r); send(SIGUSR1); send(SIGUSR1); return p; }
MAIN struct sigaction once; memset(&once, 0, sizeof once); once.sa_handler = h; once.sa_flags = SA_RESETHAND; sigaction(SIGUSR1, &once, 0);
	pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); JOIN(t); show(); }`, "m1|signal 10"},
		{"what the sender does next is seen before", `
static atomic_int x, seen;
A send(SIGUSR1); x = 1; return p; }
MAIN pthread_t t; GO(t, a); while (!x) ; seen = by[0]['m']; JOIN(t); printf("%d", seen + by[0]['a']); show(); }`, "0m1|1a1|1m1"},
		{"the thread that was told blocks it", `
A send(SIGUSR1); return p; }
MAIN GO(t, a); mask(SIG_BLOCK, SIGUSR1); JOIN(t); mask(SIG_UNBLOCK, SIGUSR1); show(); }`, "a1|m1"},
		{"the sender's stack is shared", both + `
static int *volatile v;
A int own; v = &own; pthread_barrier_wait(&r); pthread_barrier_wait(&r); pthread_kill(m, SIGUSR1); return p; }
MAIN m = pthread_self(); pthread_barrier_init(&r, 0, 2); GO(t, a); pthread_barrier_wait(&r); *v = 1; pthread_barrier_wait(&r); JOIN(t); show(); }`, "m1"},
		{"a handler in the creation", `
static int seen;
static void look(int g) { seen = 1; }
A send(SIGUSR2); return p; }
MAIN signal(SIGUSR2, look); mask(SIG_BLOCK, SIGUSR1); GO(t, a); JOIN(t); printf("%d\n", seen); fflush(stdout); }`, "1"},
	} {
		onLibraries(t, i, c.name, head+c.source, func(t *testing.T, guest string, cfg config.Config) {
			outcomes := func(how string, l *listing) map[string]int {
				if l.err != nil || !l.complete {
					t.Errorf("%s: %v", how, l)
				}
				return l.outcomes
			}
			listed := outcomes("optimal", list(cfg, "optimal", 30000, 0))
			if got := strings.Join(slices.Sorted(maps.Keys(listed)), "|"); got != c.want {
				t.Errorf("optimal lists %q, want %q", got, c.want)
			}
			if all := list(cfg, "none", 300, 0); len(all.beyond(&listing{outcomes: listed})) > 0 || all.complete && len(all.outcomes) != len(listed) {
				t.Errorf("none lists %v", all)
			}
			cfg.NativeSync = true
			if own := list(cfg, "optimal", 300, 0); len(own.outcomes) == 0 || len(own.beyond(&listing{outcomes: listed})) > 0 || own.complete && len(own.outcomes) != len(listed) {
				t.Errorf("with the library's own creation: %v", own)
			}
			for range 10 { // the soak runs more, of random programs (TestOutside)
				cmd := exec.Command(guest)
				out, err := cmd.Output()
				got := strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " ")
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
					got, err = fmt.Sprintf("signal %d", status.Signal()), nil
				}
				if err != nil || listed[got] == 0 {
					t.Errorf("the machine has %q %v", got, err)
				}
			}
		})
	}
}

// TestProcessSignalBugs: bugs that depend on which thread takes a signal to the process are found, and replay.
func TestProcessSignalBugs(t *testing.T) {
	t.Parallel()
	const head = `#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static __thread int other; static volatile int n, wrong; static pthread_t t, m; static pthread_barrier_t r;
static void h(int g) { __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); wrong |= other; }
#define A static void *a(void *p) { other = 1;
#define MAIN int main(void) { signal(SIGUSR1, h); signal(SIGUSR2, h); m = pthread_self(); pthread_barrier_init(&r, 0, 2); pthread_create(&t, 0, a, 0);
`
	for _, c := range []struct{ source, want string }{
		{`A kill(getpid(), SIGUSR1); return p; } MAIN pthread_join(t, 0); if (wrong) exit(1); }`, "assertion"},
		{`A pthread_barrier_wait(&r); kill(getpid(), SIGUSR1); return p; } MAIN pthread_barrier_wait(&r); pthread_join(t, 0); if (wrong) exit(1); }`, "verified"},
		{`A pthread_barrier_wait(&r); kill(getpid(), SIGUSR1); kill(getpid(), SIGUSR1); return p; } MAIN pthread_barrier_wait(&r); pthread_join(t, 0); if (n == 1) exit(1); }`, "assertion"},
		{`A pthread_barrier_wait(&r); kill(getpid(), SIGUSR1); pthread_kill(m, SIGUSR1); return p; } MAIN pthread_barrier_wait(&r); pthread_join(t, 0); if (wrong) exit(1); }`, "assertion"},
		{`A pthread_barrier_wait(&r); kill(getpid(), SIGUSR1); pthread_kill(m, SIGUSR1); return p; } MAIN pthread_barrier_wait(&r); pthread_join(t, 0); if (n != 2) exit(1); }`, "verified"},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			endsAs(t, onProgram(compile.Text(t, cc, head+c.source)), c.want, "optimal", "source", "none")
		}
	}
}

// TestInterceptedSignal: the story says which thread was first at a signal that was on its way.
func TestInterceptedSignal(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
static volatile int got; static sem_t s; static pthread_t m;
static void on(int g) { got = 1; }
static void *other(void *a) { pthread_kill(m, SIGUSR1); signal(SIGUSR1, SIG_IGN); sem_post(&s); return a; }
int main(void) { pthread_t t; m = pthread_self(); signal(SIGUSR1, on); pthread_create(&t, 0, other, 0); while (sem_wait(&s)) ; assert(got); pthread_join(t, 0); }
`)
	r, err := Run(context.Background(), onProgram(guest), nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = "thread 0.1 gets at SIGUSR1 (guest.c:7) while it is on its way to thread 0"
	if r.Finish(); r.Bug == nil || r.Bug.Cause != want {
		t.Errorf("verdict %s, bug %+v, want the cause %q", r.Verdict, r.Bug, want)
	}
}

// TestArrivalNames: a signal on its way counts as a thread. Where there is no name for it, the run
// is invalid: that mustn't depend on which threads a search met before.
func TestArrivalNames(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Out, c.MaxThreads = config.NoFile, 2
	c.Guest = compile.Text(t, "gcc", "#include <pthread.h>\n#include <signal.h>\nstatic pthread_t m; static void h(int g) {}\n"+
		"static void *t(void *a) { pthread_kill(m, SIGUSR1); return a; }\n"+
		"int main(void) { pthread_t c; m = pthread_self(); signal(SIGUSR1, h); pthread_create(&c, 0, t, 0); pthread_join(c, 0); }\n")
	if r := runOf(t, c); r.Verdict != result.Invalid || !strings.Contains(r.Reason, "--max-threads") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// TestSignalsAssumed: the certificate of a search that has signals come at once says so.
func TestSignalsAssumed(t *testing.T) {
	t.Parallel()
	for search, want := range map[string]bool{"readsfrom": true, "optimal": false} {
		c := config.Default()
		c.Out, c.Search, c.Model = config.NoFile, search, config.ModelSC
		c.Guest = compile.Text(t, "gcc", "#include <pthread.h>\n#include <signal.h>\n#include <unistd.h>\nstatic pthread_t m; static void ends(int sig) {}\nstatic void *t(void *a) { kill(getpid(), SIGUSR1); return a; }\n"+
			"int main(void) { pthread_t c; m = pthread_self(); signal(SIGUSR1, ends); pthread_create(&c, 0, t, 0); pthread_join(c, 0); }\n")
		if said := runOf(t, c).Certificate.Assumptions; slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "in the step that sends it") }) != want {
			t.Errorf("%q: %q", search, said)
		}
	}
}

// TestSignalsWithinBounds: the search by preemptions beside the jobs isn't proven with signals on
// their way, and proves nothing then. Here it misses the order in which thread a takes both.
func TestSignalsWithinBounds(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", `#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int took[2]; static __thread int me;
static void h(int g) { took[me] = took[me] * 10 + (g == SIGUSR1 ? 1 : 2); }
static void *a(void *p) { me = 1; return p; }
int main(void) {
	signal(SIGUSR1, h); signal(SIGUSR2, h);
	pthread_t t; pthread_create(&t, 0, a, 0);
	pthread_kill(t, SIGUSR1); kill(getpid(), SIGUSR2);
	pthread_join(t, 0); printf("%d %d\n", took[0], took[1]);
}`)
	c := config.Default()
	c.Guest, c.Out, c.Model = guest, config.NoFile, "sc"
	want := differentOutputs(ran(t, c))
	if c.Search = "none"; differentOutputs(ran(t, c)) != want || !strings.Contains(want, "0 21\n") {
		t.Errorf("%q, by default %q", differentOutputs(ran(t, c)), want)
	}
	c.Search, c.Deepen, c.PP = "bpor", false, trace.MemPoints
	c.Bounds = por.Bounds{{Measure: por.Preempt, Limit: 2}}
	if r := ran(t, c); !strings.Contains(strings.Join(r.Certificate.Assumptions, " "), "in the step that sends it") {
		t.Errorf("bpor: %s, and its certificate doesn't say when signals come: %q", r.Verdict, r.Certificate.Assumptions)
	}
}

// TestSignalsOneByOne: a thread takes the signals that are there for it one by one, so another thread
// may take one in between. On an Intel Xeon under Linux 6.18 two threads were seen to take one each.
func TestSignalsOneByOne(t *testing.T) {
	t.Parallel()
	const head = `#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>
static __thread int me; static volatile int by[2], x; static sigset_t two, second;
static void h(int g) { by[g == SIGUSR2] = 1 + me; }
#define A static void *a(void *p) { me = 1;
#define MAIN int main(void) { pthread_t t; signal(SIGUSR1, h); signal(SIGUSR2, h); sigemptyset(&two); sigaddset(&two, SIGUSR2); second = two; sigaddset(&two, SIGUSR1);
#define GO pthread_create(&t, 0, a, 0)
#define SHOW pthread_join(t, 0); printf("%d%d\n", by[0], by[1]); }
`
	for _, c := range []struct{ name, source, want string }{
		{"both let both come", `A pthread_sigmask(SIG_UNBLOCK, &two, 0); return p; }
MAIN pthread_sigmask(SIG_BLOCK, &two, 0); kill(getpid(), SIGUSR1); kill(getpid(), SIGUSR2); GO; pthread_sigmask(SIG_UNBLOCK, &two, 0); SHOW`, "11\n12\n21\n22\n"},
		{"a mask that stays as it is is no look", `A pthread_sigmask(SIG_BLOCK, 0, 0); pthread_sigmask(SIG_BLOCK, &second, 0); return p; }
MAIN pthread_sigmask(SIG_BLOCK, &second, 0); GO; kill(getpid(), SIGUSR1); SHOW`, "10\n"},
		{"a read of a signalfd is one", `static int fd;
A char b[256]; read(fd, b, sizeof b); return p; }
MAIN fd = signalfd(-1, &second, SFD_NONBLOCK); GO; kill(getpid(), SIGUSR1); SHOW`, "10\n20\n"},
		{"the first thread ends alone", `A int v = x; kill(getpid(), SIGURG); printf("%d\n", v); return p; }
MAIN signal(SIGURG, h); GO; x = 1; pthread_exit(0); }`, "0\n1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", head+c.source))
			for _, cfg.Search = range []string{"optimal", "none"} {
				if got := differentOutputs(ran(t, cfg)); got != c.want {
					t.Errorf("%s: %q, want %q", cfg.Search, got, c.want)
				}
			}
		})
	}
}

// TestSignalsBeforeCallsReturn: a thread takes its signals before a call of the kernel returns,
// sched_yield too. A look at the clock, which the C library makes without the kernel, is none.
func TestSignalsBeforeCallsReturn(t *testing.T) {
	t.Parallel()
	const head = `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static __thread int me; static volatile int got, x, y; static struct timespec q; static pthread_t m; static sigset_t one;
static void h(int g) { got = 1 + me; }
static int take(void) { return syscall(SYS_rt_sigtimedwait, &one, 0, &q, 8L) > 0; }
static void *other(void *p) { me = 1; SEND; x = 1; AFTER; return p; }
int main(void) { pthread_t t; m = pthread_self(); signal(SIGUSR1, h); signal(SIGUSR2, h); sigaddset(&one, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &one, 0); pthread_create(&t, 0, other, 0); pthread_sigmask(SIG_UNBLOCK, &one, 0);
	while (!x) ; CALL; int seen = got; y = 1; pthread_join(t, 0); printf("%d%d\n", seen, got); }
`
	const own, stale = "pthread_kill(m, SIGUSR1)", "kill(getpid(), SIGUSR1); int taken = take()"
	const again = "if (taken) { while (!y) ; kill(getpid(), SIGUSR2); }"
	for _, c := range []struct{ send, call, after, want string }{
		{own, "", "", "01\n11\n"},
		{own, "getppid()", "", "11\n"},
		{own, "sched_yield()", "", "11\n"},
		{own, "clock_gettime(CLOCK_MONOTONIC, &q)", "", "01\n11\n"},
		{own, "syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &q)", "", "11\n"},
		{own, "clock_gettime(CLOCK_REALTIME_ALARM, &q)", "", "11\n"}, // which only the kernel has
		{own, "long r = SYS_clock_gettime; __asm__ volatile(\"syscall\" : \"+a\"(r) : \"D\"(1L), \"S\"(&q) : \"rcx\", \"r11\", \"memory\")", "", "11\n"},
		{stale, "sched_yield()", again, "01\n11\n"}, // main has looked, so it gets the second one
	} {
		cfg := onProgram(compile.Text(t, "gcc", strings.NewReplacer("SEND", c.send, "CALL", c.call, "AFTER", c.after).Replace(head)))
		for _, cfg.Search = range []string{"optimal", "none"} {
			if got := differentOutputs(ran(t, cfg)); got != c.want {
				t.Errorf("%s, then %s: %s: %q, want %q", c.send, c.call, cfg.Search, got, c.want)
			}
		}
	}
}
