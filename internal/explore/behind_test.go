package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// behindHead has a flag for which a thread waits, with a count that goes on or, with CAPPED, stays at its
// most.
const behindHead = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef CAPPED
#define COUNT(n) (n = n > 3 ? n : n + 1)
#else
#define COUNT(n) (n++)
#endif
static atomic_int ready;
static int slot;
static char to[16], from[16] = "hello";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static void *set(void *a) { slot = 42; atomic_store(&ready, 1); return a; }
static void *waits(void *a) { unsigned n = 0; while (!atomic_load(&ready)) { if (n > 2) TURN; COUNT(n); } AFTER return a; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, set, 0);
	pthread_join(t, 0); pthread_join(u, 0); printf("%d %s\n", slot, to); return 0; }
`

// TestCountsBehindCalls: a count that goes on in a spin is nothing to the functions that are called behind
// it. So the program ends, with the outcomes of a count that stays at its most, all turns run.
func TestCountsBehindCalls(t *testing.T) {
	t.Parallel()
	for _, after := range []string{
		`printf("%d\n", slot);`, `puts("done");`, `fprintf(stderr, "%d\n", slot);`, `slot += write(1, "x\n", 2);`,
		`pthread_mutex_lock(&m); slot++; pthread_mutex_unlock(&m);`, `pthread_mutex_lock(&m); printf("%d\n", slot); pthread_mutex_unlock(&m);`,
		`usleep(5); slot++;`, `char *p = malloc(9); p[0] = slot; slot += p[0]; free(p);`, `assert(slot == 42);`,
		`memcpy(to, from, slot > 40 ? 10 : 3);`, `sem_post(&sem);`,
	} {
		for _, turn := range []string{"sched_yield()", "__builtin_ia32_pause()"} {
			for _, level := range []string{"-O0", "-O2"} {
				if after == `puts("done");` && turn != "sched_yield()" && level != "-O0" {
					continue // the count is where a function's third argument may be
				}
				t.Run(strings.Fields(after)[0]+turn+level, func(t *testing.T) {
					t.Parallel()
					source := strings.NewReplacer("TURN", turn, "AFTER", after).Replace(behindHead)
					cfg := onProgram(compile.Text(t, "gcc", source, level))
					cfg.MaxExecutions = 400
					few := ran(t, cfg)
					if few.Verdict != "verified" {
						t.Fatalf("%s (%s) after %d executions", few.Verdict, few.Reason, few.Executions)
					}
					cfg = onProgram(compile.Text(t, "gcc", source, level, "-DCAPPED"))
					cfg.Model, cfg.Race, cfg.Search, cfg.MaxExecutions = config.ModelSC, config.RaceOff, "sleep", 20000
					all := ran(t, cfg)
					t.Logf("%d executions, %d with all turns", few.Executions, all.Executions)
					if all.Verdict != "verified" || differentOutputs(all) != differentOutputs(few) {
						t.Errorf("outputs %q, with all turns %q (%s)", differentOutputs(few), differentOutputs(all), all.Verdict)
					}
				})
			}
		}
	}
}

// TestCountsThatTell: a function that is called behind a spin looks at what it finds of the count. It is in bytes
// that a register was pushed to, below its stack, in what realloc has copied or snprintf has read.
func TestCountsThatTell(t *testing.T) {
	t.Parallel()
	const head = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define NAKED __attribute__((naked, noinline, used)) static
__attribute__((used)) static volatile int ready, told;
struct count { int n; char room[60]; };
NAKED long peeks(void) { __asm__("push %rbx; mov (%rsp), %rax; pop %rbx; ret"); }
NAKED long saves(void) { __asm__("push %rbx; xor %ebx, %ebx; pop %rbx; ret"); }
NAKED long below(void) { __asm__("sub $24, %rsp; call saves; add $24, %rsp; mov -40(%rsp), %rax; ret"); }
NAKED long other(void) { __asm__("push %rbx; pop %rax; ret"); }
NAKED long twice(void) { __asm__("push %rbx; xor %ebx, %ebx; pop %rbx; mov %rbx, %rax; ret"); }
NAKED void drops(void) { __asm__("push %rbx; xor %ebx, %ebx; add $8, %rsp; ret"); }
NAKED void stale(void) { __asm__("sub $8, %rsp; pop %rbx; ret"); }
NAKED long picks(void) { __asm__("call drops; call stale; mov %rbx, %rax; ret"); }
NAKED long after(void) { __asm__("call saves; jmp peeks"); }
NAKED long spins(void *a) { __asm__("push %rbx\n.cfi_adjust_cfa_offset 8\nxor %ebx, %ebx\n"
	"1: mov ready(%rip), %eax; test %eax, %eax; jne 2f; cmp $9, %ebx; jae 1b; inc %ebx; jmp 1b\n"
	"2: mov told(%rip), %edx; call FUNCTION; pop %rbx; ret"); }
`
	const copied = `
static long spins(void *a) { struct count *c = malloc(sizeof *c); c->n = 0; while (!ready) if (c->n < 9) c->n++;
	(void)told; c = realloc(c, 4096); long n = c->n; free(c); return n; }`
	const formatted = `
static long spins(void *a) { char n[8] = "a", to[8]; while (!ready) if (n[0] < 'i') n[0]++;
	(void)told; snprintf(to, sizeof to, "%s", n); return to[0] - 'a'; }`
	const rest = `
static void *waits(void *a) { told = spins(a); return a; }
static void *set(void *a) { ready = 1; return a; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, set, 0); pthread_join(t, 0); pthread_join(u, 0); assert(told != 2); }`
	for _, f := range []string{"saves", "peeks", "below", "other", "twice", "after", "picks", "realloc", "snprintf"} {
		source := strings.Replace(head, "FUNCTION", f, 1) + rest
		switch f {
		case "realloc":
			source = head[:strings.Index(head, "NAKED long peeks")] + copied + rest
		case "snprintf":
			source = head[:strings.Index(head, "NAKED long peeks")] + formatted + rest
		}
		t.Run(f, func(t *testing.T) {
			t.Parallel()
			level := "-O1"
			if f == "realloc" {
				level = "-O0"
			}
			cfg := onProgram(compile.Text(t, "gcc", source, level))
			cfg.Race = config.RaceOff
			if f == "saves" {
				endsAs(t, cfg, "verified", "optimal")
			} else {
				endsAs(t, cfg, "assertion", "optimal")
			}
		})
	}
}

// TestCountsLeft: a thread leaves its count in a variable at which another one looks that is the only one
// left by then. Or it writes it.
func TestCountsLeft(t *testing.T) {
	t.Parallel()
	const source = `#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int ready, other;
static int out;
static __attribute__((noinline)) int same(int n) { __asm__ volatile(""); return n; }
static void *waits(void *a) { int n = 0; while (!atomic_load(&ready)) { if (n < 4) n++; sched_yield(); } (void)atomic_load(&other); out = same(n); return a; }
static void *set(void *a) { atomic_store(&ready, 1); return a; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, set, 0); pthread_join(t, 0); pthread_join(u, 0); printf("%d\n", out); return 0; }`
	const written = `#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int ready;
static void *waits(void *a) { char c[2] = "0\n"; while (!atomic_load(&ready)) { if (c[0] < '4') c[0]++; sched_yield(); } return write(1, c, 2) == 2 ? a : c; }
static void *set(void *a) { atomic_store(&ready, 1); return a; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, waits, 0); pthread_create(&u, 0, set, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }`
	for _, level := range []string{"-O0", "-O2"} {
		for _, program := range []string{source, written} {
			cfg := onProgram(compile.Text(t, "gcc", program, level, "-w"))
			cfg.Model, cfg.Race = config.ModelSC, config.RaceOff
			if r := ran(t, cfg); differentOutputs(r) != "0\n1\n2\n3\n4\n" {
				t.Errorf("%s: outputs %q in %d executions (%s) of\n%s", level, differentOutputs(r), r.Executions, r.Verdict, program)
			}
		}
	}
}

// TestFirstStack: what the first thread leaves of a count in its own stack is nothing to others, unless it
// ends before the process. Then one that is the only one left may look at it, which isn't recorded.
func TestFirstStack(t *testing.T) {
	t.Parallel()
	const head = `#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int ready;
static int *at;
static pthread_t first;
static void *set(void *a) { atomic_store(&ready, 1); return a; }
static void *sets(void *a) { atomic_store(&ready, 1); pthread_join(first, 0); printf("%d\n", *at); return a; }
`
	for _, p := range []struct {
		main       string
		outputs    string
		executions uint64
	}{
		{`int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); for (int i = 0; i < 16 && !atomic_load(&ready); i++) sched_yield(); pthread_join(t, 0); return 0; }`, "", 2},
		{`int main(void) { pthread_t t; volatile int n = 0; at = (int *)&n; first = pthread_self(); pthread_create(&t, 0, sets, 0); while (!atomic_load(&ready)) { if (n < 4) n++; sched_yield(); } pthread_exit(0); }`, "0\n1\n2\n3\n4\n", 5},
	} {
		for _, level := range []string{"-O0", "-O2"} {
			cfg := onProgram(compile.Text(t, "gcc", head+p.main, level))
			cfg.Model, cfg.Race, cfg.Search = config.ModelSC, config.RaceOff, "optimal"
			if r := ran(t, cfg); differentOutputs(r) != p.outputs || r.Executions != p.executions {
				t.Errorf("%s: outputs %q in %d executions (%s)", level, differentOutputs(r), r.Executions, r.Verdict)
			}
		}
	}
}

// TestCountsElsewhere: a count is read where the code alone doesn't show it. Code that is called through a thunk
// reads it, or code to which a return by a thunk goes, or a signal's handler, among the registers. So may a thread
// that the kernel gives its creator's registers.
func TestCountsElsewhere(t *testing.T) {
	t.Parallel()
	const head = `#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#define NI __attribute__((noinline)) static
static atomic_int ready, other;
static void *set(void *a) { atomic_store(&ready, 1); return a; }
#define SPIN int n = 0; while (!atomic_load(&ready) && n < 5) n++; (void)atomic_load(&other)
`
	const jump = `
NI void show(int n) { printf("%d\n", n); }
static void (*volatile to)(int) = show;
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); void (*f)(int) = to; SPIN; f(n); pthread_join(t, 0); return 0; }`
	const back = `
NI int spins(void) { SPIN; return n; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); int n = spins(); pthread_join(t, 0); printf("%d\n", n); return 0; }`
	const asked = `
static volatile long got;
static void h(int s, siginfo_t *i, void *u) { got = ((ucontext_t *)u)->uc_mcontext.gregs[REG_R14]; }
int main(void) { struct sigaction sa = {.sa_sigaction = h, .sa_flags = SA_SIGINFO}; sigaction(SIGUSR1, &sa, 0);
	pthread_t t; pthread_create(&t, 0, set, 0);
	register long tid __asm__("r12") = gettid(), pid __asm__("r13") = getpid();
	__asm__ volatile("xor %%r14d, %%r14d\n1: mov %0, %%eax; test %%eax, %%eax; jne 2f; inc %%r14d; cmp $5, %%r14d; jl 1b\n"
		"2: mov %1, %%eax; mov %%r13, %%rdi; mov %%r12, %%rsi; mov $10, %%edx; mov $234, %%eax; syscall; xor %%r14d, %%r14d"
		:: "m"(ready), "m"(other), "r"(tid), "r"(pid) : "rax", "rcx", "rdx", "rsi", "rdi", "r11", "r14", "memory");
	pthread_join(t, 0); printf("%ld\n", got); return 0; }`
	const born = `
static char stack[16384] __attribute__((aligned(16)));
__attribute__((used)) static volatile long got = 9;
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0);
	__asm__ volatile("xor %%r14d, %%r14d\n1: mov %0, %%eax; test %%eax, %%eax; jne 2f; inc %%r14d; cmp $5, %%r14d; jl 1b\n"
		"2: mov %1, %%rsi; mov $0x50f00, %%edi; xor %%edx, %%edx; xor %%r10d, %%r10d; mov $56, %%eax; syscall; test %%eax, %%eax; jne 3f\n"
		"mov %%r14, got(%%rip); xor %%edi, %%edi; mov $60, %%eax; syscall\n3: xor %%r14d, %%r14d"
		:: "m"(ready), "r"(stack + 8192) : "rax", "rcx", "rdx", "rsi", "rdi", "r10", "r11", "r14", "memory");
	pthread_join(t, 0); while (got == 9) sched_yield(); printf("%ld\n", got); return 0; }`
	for _, tt := range [][]string{{jump, "-mindirect-branch=thunk"}, {back, "-mfunction-return=thunk"}, {asked}, {born}} {
		for _, level := range []string{"-O1", "-O2"} {
			cfg := onProgram(compile.Text(t, "gcc", head+tt[0], append(tt[1:], level, "-w")...))
			cfg.Model, cfg.Race = config.ModelSC, config.RaceOff
			if r := ran(t, cfg); differentOutputs(r) != "0\n1\n2\n3\n4\n5\n" {
				t.Errorf("%s: outputs %q in %d executions (%s) of\n%s", level, differentOutputs(r), r.Executions, r.Verdict, tt[0])
			}
		}
	}
}
