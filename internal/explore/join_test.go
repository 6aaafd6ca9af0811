package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestJoinable: no thread joins one that was detached, whichever came first;
// a thread that joins the first one, or itself, waits for that.
func TestJoinable(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_t t, first;
static int x;
static void *nothing(void *a) { return a; }
static void *detach(void *a) { pthread_detach(t); return a; }
static void *join(void *a) { if (pthread_join(first, 0) || x != 1) abort(); exit(0); }
static void *joins(void *a) { pthread_join(t, 0); return a; }
static pthread_attr_t *detached(void) {
	static pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	return &a;
}
int main(void) {
	pthread_t u;
	(void)u, (void)nothing, (void)detach, (void)join, (void)joins, (void)detached, first = pthread_self();
	MAIN;
	return 0;
}
`
	const begin = "pthread_create(&t, 0, nothing, 0); "
	for _, c := range []struct {
		main, glibc, musl string // "": no bug
	}{
		{begin + "pthread_detach(t)", "", ""},
		{begin + "pthread_detach(t); pthread_join(t, 0)", "joined, but was detached", "joined, but was detached"},
		{begin + "pthread_detach(t); pthread_detach(t)", "detached twice", "detached twice"},
		{begin + "pthread_join(t, 0); pthread_detach(t)", "detached, but was joined", "detached, but was joined"},
		{begin + "pthread_create(&u, 0, detach, 0); pthread_join(t, 0)", "thread 0.1", "thread 0.1"},
		{begin + "pthread_create(&u, 0, joins, 0); pthread_join(t, 0)", "joined by two threads", "joins a thread that was joined"},
		{begin + "pthread_join(t, 0); pthread_join(t, 0)", "joined twice", "joins a thread that was joined"},
		{"pthread_create(&t, detached(), nothing, 0)", "", ""},
		{"pthread_create(&t, detached(), nothing, 0); pthread_join(t, 0)", "joined, but was detached", "joined, but was detached"},
		{"if (pthread_join(first, 0) != EDEADLK) abort()", "", "waits for itself"},
		{"pthread_create(&t, 0, join, 0); x = 1; pthread_exit(0)", "", ""},
	} {
		for cc, want := range map[string]string{"gcc": c.glibc, "musl-gcc": c.musl} {
			guest := compile.Text(t, cc, strings.Replace(program, "MAIN", c.main, 1))
			for _, search := range []string{"none", "source", "optimal", "trust"} {
				cfg := config.Default()
				cfg.Guest, cfg.Out, cfg.PP, cfg.Search, cfg.KeepGoing = guest, config.NoFile, trace.MemPoints, search, true
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatalf("%s, %s, %s: %v", cc, c.main, search, err)
				}
				r.Finish()
				if want == "" && r.Verdict != result.Verified || want != "" && (r.Bug == nil || !strings.Contains(r.Bug.Message, want)) {
					t.Errorf("%s, %s, %s: %s (%s) %+v, want %q", cc, c.main, search, r.Verdict, r.Reason, r.Bug, want)
				}
			}
		}
	}
}

// TestOwnEndWord: a thread gives the kernel a word of its own to clear at its end. The
// thread that joins it waits for ever, for the C library's word is never cleared.
func TestOwnEndWord(t *testing.T) {
	t.Parallel()
	const source = `#define _GNU_SOURCE
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word;
static void *a(void *p) { syscall(SYS_set_tid_address, &word); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); }`
	for _, cc := range []string{"gcc", "musl-gcc"} {
		endsAs(t, onProgram(compile.Text(t, cc, source)), "deadlock", "optimal", "none")
	}
}

// TestOwnRobustList: a thread gives the kernel a list of robust futexes of its own, which are
// marked at its end.
func TestOwnRobustList(t *testing.T) {
	t.Parallel()
	const source = `#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static struct { struct robust_list link; unsigned word; } lock;
static struct robust_list_head held = {{&lock.link}, sizeof lock.link, 0};
static void *a(void *p) { lock.link.next = &held.list; lock.word = syscall(SYS_gettid); syscall(SYS_set_robust_list, &held, sizeof held); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); pthread_join(t, 0); assert(lock.word == FUTEX_OWNER_DIED); }`
	endsAs(t, onProgram(compile.Text(t, "gcc", source)), "verified", "optimal", "none")
}

// TestThreadNames: the name of a thread that was joined, or is detached and has ended, is
// given to no function, whether landgo or the library's own code carries joins out. That of
// one that has ended may be, and a thread's own.
func TestThreadNames(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
static pthread_t t;
static void *nothing(void *a) { return a; }
static void *kills(void *a) { pthread_kill(t, 0); return a; }
static void *names(void *a) { int p; struct sched_param s; pthread_getschedparam(pthread_self(), &p, &s); pthread_detach(pthread_self()); pthread_getschedparam(pthread_self(), &p, &s); return a; }
static pthread_attr_t *detached(void) {
	static pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	return &a;
}
int main(void) {
	pthread_t u;
	int p;
	struct sched_param s;
	(void)u, (void)nothing, (void)kills, (void)names, (void)detached, (void)p, (void)s;
	pthread_create(&t, BEGIN, 0);
	MAIN;
	return 0;
}
`
	for _, c := range []struct{ begin, main, want string }{
		{"0, nothing", "pthread_join(t, 0); pthread_kill(t, 0)", "pthread_kill is called for thread 0.1, which has been joined"},
		{"0, nothing", "pthread_join(t, 0); pthread_cancel(t)", "pthread_cancel is called for thread 0.1, which has been joined"},
		{"detached(), nothing", "pthread_getschedparam(t, &p, &s)", "pthread_getschedparam is called for thread 0.1, which is detached, and has ended"},
		{"0, nothing", "pthread_create(&u, 0, kills, 0); pthread_join(t, 0)", "pthread_kill is called for thread 0.1, which has been joined"},
		{"0, nothing", "pthread_detach(t); pthread_kill(t, 0)", "pthread_kill is called for thread 0.1, which is detached, and has ended"},
		{"0, nothing", "pthread_create(&u, 0, kills, 0); pthread_join(u, 0); pthread_join(t, 0)", ""},
		{"0, names", "", ""},
		{"0, nothing", "pthread_detach(t)", ""}, // musl's joins a thread that has ended
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			guest := compile.Text(t, cc, strings.Replace(strings.Replace(program, "MAIN", c.main, 1), "BEGIN", c.begin, 1))
			for _, by := range []string{"landgo", "its own code", "tested code"} {
				if cc != "gcc" && by != "landgo" && c.begin != "0, names" {
					continue // musl's own code takes thousands of executions
				}
				cfg := config.Default()
				cfg.Guest, cfg.Out, cfg.PP, cfg.NativeSync = guest, config.NoFile, trace.MemPoints, by == "its own code"
				if by == "tested code" {
					cfg.LocksTested = []string{config.AllLocks}
				}
				r, err := Run(context.Background(), cfg, nil)
				if err != nil {
					t.Fatalf("%s, %s: %v", cc, c.main, err)
				}
				r.Finish()
				if c.want == "" && r.Verdict != result.Verified || c.want != "" && (r.Bug == nil || !strings.Contains(r.Bug.Message, c.want)) {
					t.Errorf("%s, %s, by %s: %s (%s) %+v, want %q", cc, c.main, by, r.Verdict, r.Reason, r.Bug, c.want)
				}
			}
		}
	}
}

// TestBorrowedPointer: a thread that a program makes itself may have its creator's thread pointer. It isn't the one
// that is joined then, once its creator has ended.
func TestBorrowedPointer(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((used)) static volatile int x;
static char stack[16384] __attribute__((aligned(16)));
static void *makes(void *a) {
	__asm__ volatile("mov $56, %%eax; mov $0x50f00, %%edi; mov %0, %%rsi; xor %%edx, %%edx; xor %%r10d, %%r10d; syscall; test %%eax, %%eax; jne 2f\n"
		"DOES; mov $60, %%eax; xor %%edi, %%edi; syscall\n2:" :: "r"(stack + 8192) : "rax", "rcx", "rdx", "rsi", "rdi", "r10", "r11", "memory");
	return a;
}
int main(void) { pthread_t t; pthread_create(&t, 0, makes, 0); pthread_join(t, 0); printf("%d\n", x); exit(0); }
`
	for does, want := range map[string]string{
		"movl $1, x(%%rip)": "0\n1\n",
		"1: mov $202, %%eax; lea x(%%rip), %%rdi; mov $128, %%esi; xor %%edx, %%edx; syscall; jmp 1b": "0\n",
	} {
		guest := compile.Text(t, "gcc", strings.Replace(program, "DOES", does, 1))
		for _, search := range []string{"none", "source", "optimal", "trust"} {
			cfg := onProgram(guest)
			cfg.Model, cfg.Search = config.ModelSC, search
			if r := ran(t, cfg); r.Verdict != "verified" || differentOutputs(r) != want {
				t.Errorf("%s: %s (%s), outputs %q, want %q with %s", search, r.Verdict, r.Reason, differentOutputs(r), want, does)
			}
		}
	}
}
