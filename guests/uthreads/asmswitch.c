/*
 * Threads that switch in assembly, with priorities, preempted by ITIMER_PROF.
 *
 * Fault: a transfer between accounts runs in a critical section, a counter that the
 * tick's handler looks at. Where the balance is too low it gives way inside of the
 * section, and the thread that goes on has the counter of the first.
 * Cure (FIXED): it leaves the section before it gives way.
 */
#include <assert.h>
#include <signal.h>
#include <stdint.h>
#include <sys/time.h>

enum { THREADS = 2, STACK = 16384 };

static void *sp[THREADS + 1];
static char stacks[THREADS + 1][STACK] __attribute__((aligned(16)));
static int priority[THREADS + 1] = { 0, 1, 1 }, ended[THREADS + 1];
static volatile int running, critical, wanted;
static volatile int a = 1, b = 0;

/* Saves what a call keeps on the stack, and the stack pointer in *from. */
void switch_stacks(void **from, void *to);
__asm__(".text\n"
	"switch_stacks:\n"
	"push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"mov %rsp, (%rdi)\n"
	"mov %rsi, %rsp\n"
	"pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"ret\n");

/* The next thread in turn of the highest priority. Ticks are blocked, or in the handler. */
static void schedule(void)
{
	int from = running, best = -1;
	for (int i = 1; i <= THREADS + 1; i++) {
		int t = (from + i) % (THREADS + 1);
		if (!ended[t] && (best < 0 || priority[t] > priority[best]))
			best = t;
	}
	running = best;
	if (best != from)
		switch_stacks(&sp[from], sp[best]);
}

static void ticks(int how)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGPROF);
	sigprocmask(how, &set, 0);
}

static void yield(void)
{
	ticks(SIG_BLOCK);
	schedule();
	ticks(SIG_UNBLOCK);
}

static void on_tick(int sig)
{
	(void)sig;
	if (critical)
		wanted = 1;
	else
		schedule();
}

static void enter(void) { critical = 1; }

static void leave(void)
{
	critical = 0;
	if (wanted) {
		wanted = 0;
		yield();
	}
}

static void transfer(volatile int *from, volatile int *to)
{
	enter();
	if (*from == 0) { /* another may put something in */
#ifdef FIXED
		leave();
		yield();
		enter();
#else
		yield();
#endif
	}
	if (*from > 0) {
		int left = *from - 1;
		*to = *to + 1;
		*from = left;
	}
	leave();
}

static void run(void)
{
	ticks(SIG_UNBLOCK);
	if (running == 1) {
		transfer(&b, &a);
	} else {
		transfer(&a, &b);
		transfer(&b, &a);
	}
	ticks(SIG_BLOCK);
	ended[running] = 1;
	schedule();
}

static void create(int t)
{
	uint64_t *top = (uint64_t *)(stacks[t] + STACK);
	*--top = 0;
	*--top = (uint64_t)run;
	sp[t] = top - 6;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	for (int t = 1; t <= THREADS; t++)
		create(t);
	sigaction(SIGPROF, &sa, 0);
	setitimer(ITIMER_PROF, &every, 0);
	yield(); /* until no other thread is left */
	setitimer(ITIMER_PROF, &off, 0);
	assert(a + b == 1);
	return 0;
}
