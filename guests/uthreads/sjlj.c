/*
 * Threads by setjmp and longjmp, made on their stacks by a signal's handler with
 * sigaltstack (Engelschall, "Portable Multithreading", USENIX 2000). The handler of
 * ITIMER_VIRTUAL's ticks switches.
 *
 * Fault: a switch leaves the mask of signals as it is. A thread that gave way by itself,
 * and that a tick switches back to, runs with ticks blocked, and none ends its loop.
 * Cure (FIXED): a thread blocks ticks before it gives way, and unblocks them after.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

enum { THREADS = 2, STACK = 32768 };

static sigjmp_buf contexts[THREADS + 1];
static char stacks[THREADS + 1][STACK] __attribute__((aligned(16)));
static volatile int running, born, first, second;

static void switch_to(int t)
{
	if (sigsetjmp(contexts[running], 0))
		return;
	running = t;
	siglongjmp(contexts[t], 1);
}

static void on_tick(int sig)
{
	(void)sig;
	switch_to((running + 1) % (THREADS + 1));
}

static void give_way_to(int t)
{
#ifdef FIXED
	sigset_t tick;
	sigemptyset(&tick);
	sigaddset(&tick, SIGVTALRM);
	sigprocmask(SIG_BLOCK, &tick, NULL);
#endif
	switch_to(t);
#ifdef FIXED
	sigprocmask(SIG_UNBLOCK, &tick, NULL);
#endif
}

/* Each waits for the other, and only ticks let the other run. */
static void body(int me)
{
	if (me == 1) {
		give_way_to(2);
		first = 1;
		while (!second)
			;
	} else {
		while (!first)
			;
		second = 1;
	}
	for (;;)
		;
}

/* Runs on the new thread's stack, and is gone on with when it has returned. */
static void on_birth(int sig)
{
	sigset_t none;
	int me = born;
	(void)sig;
	if (sigsetjmp(contexts[me], 0) == 0)
		return;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	body(me);
}

static void create(int t)
{
	struct sigaction sa = { .sa_handler = on_birth, .sa_flags = SA_ONSTACK };
	stack_t on = { .ss_sp = stacks[t], .ss_size = STACK }, off = { .ss_flags = SS_DISABLE };
	sigaction(SIGUSR1, &sa, NULL);
	sigaltstack(&on, NULL);
	born = t;
	raise(SIGUSR1);
	sigaltstack(&off, NULL);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	for (int t = 1; t <= THREADS; t++)
		create(t);
	sigaction(SIGVTALRM, &sa, NULL);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	while (!second)
		;
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	return 0;
}
