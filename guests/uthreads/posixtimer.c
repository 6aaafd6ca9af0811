/*
 * Threads whose stacks are from malloc, by makecontext, preempted by timer_create.
 *
 * Fault: a thread that ends frees its stack, and runs on it until it has switched.
 * Cure (FIXED): the next thread frees it.
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

enum { THREADS = 2, STACK = 16384 };

static ucontext_t contexts[THREADS + 1];
static void *stacks[THREADS + 1];
static int running, ended[THREADS + 1], left = THREADS;
static void *volatile dead;
static sigset_t tick;

/* Ticks are off. */
static void schedule(void)
{
	int from = running, to = from;
	do
		to = (to + 1) % (THREADS + 1);
	while (ended[to]);
	running = to;
	if (to != from)
		swapcontext(&contexts[from], &contexts[to]);
	free(dead);
	dead = NULL;
}

static void on_tick(int sig)
{
	(void)sig;
	schedule();
}

static volatile int work;

static void run(void)
{
	free(dead);
	dead = NULL;
	sigprocmask(SIG_UNBLOCK, &tick, NULL);
	work = work + 1;
	sigprocmask(SIG_BLOCK, &tick, NULL);
	ended[running] = 1;
	left--;
#ifdef FIXED
	dead = stacks[running];
#else
	free(stacks[running]);
#endif
	schedule();
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec every = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t timer;
	sigemptyset(&tick);
	sigaddset(&tick, SIGUSR1);
	sigaction(SIGUSR1, &sa, NULL);
	for (int t = 1; t <= THREADS; t++) {
		getcontext(&contexts[t]);
		contexts[t].uc_stack.ss_sp = stacks[t] = malloc(STACK);
		contexts[t].uc_stack.ss_size = STACK;
		contexts[t].uc_sigmask = tick;
		makecontext(&contexts[t], run, 0);
	}
	timer_create(CLOCK_MONOTONIC, &ev, &timer);
	timer_settime(timer, 0, &every, NULL);
	while (left) {
		sigprocmask(SIG_BLOCK, &tick, NULL);
		schedule();
		sigprocmask(SIG_UNBLOCK, &tick, NULL);
	}
	timer_delete(timer);
	return 0;
}
