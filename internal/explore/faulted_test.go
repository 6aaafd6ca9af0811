package explore

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// defines puts texts in place of names.
func defines(program string, names ...string) string {
	return strings.NewReplacer(names...).Replace(program)
}

// TestFaultsAreEvents: an access faults, and the thread goes on. It comes before and
// after what another thread does with the page. So do operations and system calls that
// find the page closed. Each program is right in one order only.
func TestFaultsAreEvents(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#define ALL (PROT_READ | PROT_WRITE)
static char *page, text[64];
static sigjmp_buf out;
static volatile int faults;
static long result;
static void leave(int s) { faults++; siglongjmp(out, 1); }
static void mend(int s) { faults++; mprotect(page, 4096, ALL); }
static void *first(void *p) { if (!sigsetjmp(out, 1)) { FIRST; } return p; }
static void *second(void *p) { SECOND; return p; }
int main(void) {
	pthread_t a, b;
	(void)mend, (void)text, (void)result;
	signal(SIGSEGV, leave);
	page = mmap(0, 8192, ALL, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	BEFORE;
	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(CHECK);
	return 0;
}
`
	const closed, opens = "page[0] = 1; mprotect(page, 8192, PROT_NONE)", "mprotect(page, 8192, ALL)"
	const reads = "(void)*(volatile char *)page"
	for _, c := range []struct {
		name, before, first, second, check string
		kind                               trace.BugKind
	}{
		{"read", closed, reads, opens, "faults", trace.Assertion},
		{"read of a page that none has touched", "mprotect(page, 4096, PROT_NONE)", reads, opens, "faults", trace.Assertion},
		{"write", closed, "*(volatile char *)page = 2", opens, "faults", trace.Assertion},
		{"unmapped", "", reads, "munmap(page, 8192)", "!faults", trace.Assertion},
		{"mapped again", "munmap(page, 8192)", reads, "mmap(page, 8192, ALL, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)", "faults", trace.Assertion},
		{"opened by the handler", closed + "; signal(SIGSEGV, mend)", reads, opens, "faults == 1", trace.Assertion},
		{"addition", "*(long *)page = 1; mprotect(page, 4096, PROT_READ)", `__asm__ volatile("addq $1, %0" : "+m"(*(long *)page))`, opens, "faults", trace.Assertion},
		{"locked", "*(long *)page = 1; mprotect(page, 4096, PROT_READ)", "__atomic_fetch_add((long *)page, 1, 5)", opens, "faults", trace.Assertion},
		{"across two pages", "mprotect(page + 4096, 4096, PROT_NONE)", "*(volatile long *)(page + 4092) = 7", opens, "faults", trace.Assertion},
		{"memcpy", closed, "memcpy(text, page + 100, 32)", opens, "faults", trace.Assertion},
		{"sprintf", closed, `sprintf(text, "%s", page)`, opens, "faults", trace.Assertion},
		{"mutex", "pthread_mutex_init((void *)page, 0)", "pthread_mutex_lock((void *)page); pthread_mutex_unlock((void *)page)", "mprotect(page, 4096, PROT_NONE)", "!faults", trace.Assertion},
		{"semaphore", "sem_init((void *)page, 0, 0)", "sem_post((void *)page)", "munmap(page, 8192)", "!faults", trace.Assertion},
		{"time", closed, "result = clock_gettime(CLOCK_REALTIME, (void *)page); if (result) faults++", opens, "faults", trace.Assertion},
		{"output", "", "result = write(1, page, 4)", "munmap(page, 8192)", "result == 4", trace.Assertion},
		{"two probes", closed, reads + "; faults += 10", "int here = 0; if (here) " + opens, "faults == 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cc := range []string{"gcc", "musl-gcc"} {
				bothSearches(t, cc, defines(program, "BEFORE", c.before, "FIRST", c.first, "SECOND", c.second, "CHECK", c.check), c.kind)
			}
		})
	}
}

// TestFaultsInSamples: a fault's handler returns to the CPU's state at the fault, not to
// that of a handler in an execution before.
func TestFaultsInSamples(t *testing.T) {
	t.Parallel()
	const source = `#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
static int x;
static void skip(int n, siginfo_t *i, void *u) { ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 2; }
static void *first(void *p) { long r; x++; __asm__ volatile("movq %1, %%xmm7\n ud2\n movq %%xmm7, %0" : "=r"(r) : "r"(55L) : "xmm7"); assert(r == 55); return p; }
static void *second(void *p) { x++; return p; }
int main(void) {
	struct sigaction s = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO}; pthread_t a, b;
	sigaction(SIGILL, &s, 0);
	pthread_create(&a, 0, first, 0); pthread_create(&b, 0, second, 0);
	pthread_join(a, 0); pthread_join(b, 0); return 0;
}`
	cfg := onProgram(compile.Text(t, "gcc", "#define _GNU_SOURCE\n"+source))
	endsAs(t, cfg, "verified", "optimal", "none")
	endsAs(t, cfg, "budget", "random:runs=50", "pos:runs=50", "pct:runs=50")
}

// TestHandlerFrames: what the kernel writes for a handler is an access, with a point
// before it: on an alternate stack in memory that another thread reads. Each check
// fails in one of the two orders.
func TestHandlerFrames(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>
static char stack[16384] __attribute__((aligned(64)));
static int saw;
static pthread_t a, b;
static void handle(int n, siginfo_t *i, void *u) { if (n == SIGILL) ((ucontext_t *)u)->uc_mcontext.gregs[REG_RIP] += 2; }
static void *first(void *p) { stack_t s = {.ss_sp = stack, .ss_size = sizeof stack}; sigaltstack(&s, 0); FIRST; return p; }
static void *second(void *p) { for (int i = sizeof stack - 512; i < sizeof stack; i += 8) if (*(volatile long *)(stack + i)) saw = 1; return p; }
int main(void) {
	struct sigaction s = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigaction(SIGILL, &s, 0);
	sigaction(SIGUSR1, &s, 0);
	pthread_create(&a, 0, first, 0);
	pthread_create(&b, 0, second, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(CHECK);
	return 0;
}
`
	for _, first := range []string{`__asm__ volatile("ud2")`, "raise(SIGUSR1)"} {
		for _, check := range []string{"saw", "!saw"} {
			bothSearches(t, "gcc", defines(program, "FIRST", first, "CHECK", check), trace.Assertion)
		}
	}
}

// TestTaggedPointers: an access, a jump or a call of the kernel through a pointer with any of its upper
// bits turned does the same as on this machine. The engine drops twelve of them.
func TestTaggedPointers(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>
static sigjmp_buf out;
static volatile int what;
static volatile uintptr_t where;
static long value = 5;
static void come(int s, siginfo_t *i, void *u) { what = i->si_code * 100 + s; where = (uintptr_t)i->si_addr - (uintptr_t)&value; siglongjmp(out, 1); }
static void function(void) { value++; }
#define TRY(act) what = 0, where = 0; if (!sigsetjmp(out, 1)) { act; } printf(" %d:%lx", what, (long)where)
int main(void) {
	struct sigaction act = {.sa_sigaction = come, .sa_flags = SA_SIGINFO};
	int pipes[2];
	sigaction(SIGSEGV, &act, 0);
	if (pipe(pipes))
		return 1;
	for (int bit = 40; bit < 64; bit++) {
		uintptr_t turned = (uintptr_t)&value ^ 1UL << bit;
		TRY(*(volatile long *)turned = bit);
		TRY(what = *(volatile char *)turned);
		TRY(((void (*)(void))((uintptr_t)function ^ 1UL << bit))());
		errno = 0;
		long n = write(pipes[1], (void *)turned, 1);
		printf(" %ld %d\n", n, errno);
	}
	printf("%ld\n", value);
	return 0;
}
`
	guest := compile.Text(t, "gcc", program)
	want, err := exec.Command(guest).Output()
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Guest, c.Out, c.ObserveStdout = guest, config.NoFile, true
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Verified || len(r.Outcomes) != 1 || r.Outcomes[0].Output != string(want) {
		t.Errorf("%s %s: %+v, want\n%s", r.Verdict, r.Reason, r.Outcomes, want)
	}
}

// TestHandlersTellStoresFromLoads: a handler opens a page for what the fault wants, as
// barriers of collectors and of transactions do. It is shown which by the error code. An
// instruction that reads and writes asks for both at once.
func TestHandlersTellStoresFromLoads(t *testing.T) {
	t.Parallel()
	const program = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
static char *page;
static volatile int stores, loads;
static void barrier(int s, siginfo_t *i, void *u) {
	if (((ucontext_t *)u)->uc_mcontext.gregs[REG_ERR] & 2) {
		stores++;
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
	} else {
		loads++;
		mprotect(page, 4096, PROT_READ);
	}
}
static void *user(void *p) { USE; return p; }
int main(void) {
	struct sigaction a = {.sa_sigaction = barrier, .sa_flags = SA_SIGINFO};
	pthread_t t;
	sigaction(SIGSEGV, &a, 0);
	page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t, 0, user, 0);
	pthread_join(t, 0);
	assert(stores == STORES && loads == LOADS);
	return 0;
}
`
	for name, c := range map[string][]string{
		"a store":              {"USE", "*(volatile char *)page = 1", "STORES", "1", "LOADS", "0"},
		"a load":               {"USE", "(void)*(volatile char *)page", "STORES", "0", "LOADS", "1"},
		"a load, a store":      {"USE", "(void)*(volatile char *)page; page[1] = 1", "STORES", "1", "LOADS", "1"},
		"both at once":         {"USE", `asm volatile("addl $1, %0" : "+m"(*(int *)page))`, "STORES", "1", "LOADS", "0"},
		"both, indivisibly":    {"USE", `asm volatile("lock incl %0" : "+m"(*(int *)page))`, "STORES", "1", "LOADS", "0"},
		"a comparison":         {"USE", `asm volatile("cmpl $1, %0" : "+m"(*(int *)page))`, "STORES", "0", "LOADS", "1"},
		"compare and exchange": {"USE", "__sync_bool_compare_and_swap(page, 5, 6)", "STORES", "1", "LOADS", "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			endsAs(t, onProgram(compile.Text(t, "gcc", defines(program, c...))), "verified", "optimal", "none")
		})
	}
}

// TestTaggedPointerNamed: a pointer whose tag wasn't taken off is told apart from one to nothing, and
// what it would lead to has its name.
func TestTaggedPointerNamed(t *testing.T) {
	t.Parallel()
	const program = `#include <stdint.h>
static int value;
int main(void) { volatile uintptr_t p = (uintptr_t)&value | 3UL << 56; return *(int *)p; }
`
	c := config.Default()
	c.Guest, c.Out = compile.Text(t, "gcc", program), config.NoFile
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bug == nil || r.Bug.Kind != trace.Segfault || !strings.HasSuffix(r.Bug.Message, "without them it is value") {
		t.Errorf("%s: %+v", r.Verdict, r.Bug)
	}
}
