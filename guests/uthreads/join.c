/*
 * Threads that end and are joined: a joiner sleeps until the thread's end wakes it. By
 * swapcontext, preempted by ITIMER_VIRTUAL.
 *
 * Fault: join looks whether the thread has ended, and says that it waits, with ticks on.
 * Between the two the thread ends, and wakes none.
 * Cure (FIXED): ticks are off from the look to the sleep.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { THREADS = 2, STACK = 16384 };
enum { FREE, READY, ASLEEP, ENDED };

static struct {
	ucontext_t context;
	char stack[STACK];
	int state, joiner;
} threads[THREADS + 1];
static int running, sum;
static sigset_t tick;

static void off(void) { sigprocmask(SIG_BLOCK, &tick, NULL); }
static void on(void) { sigprocmask(SIG_UNBLOCK, &tick, NULL); }

static void schedule(void)
{
	int from = running;
	for (int i = 1; i <= THREADS + 1; i++) {
		int to = (from + i) % (THREADS + 1);
		if (threads[to].state != READY)
			continue;
		running = to;
		if (to != from)
			swapcontext(&threads[from].context, &threads[to].context);
		return;
	}
	abort(); /* all threads sleep */
}

static void on_tick(int sig)
{
	(void)sig;
	schedule();
}

static void run(void)
{
	on();
	sum += running;
	off();
	threads[running].state = ENDED;
	if (threads[running].joiner >= 0)
		threads[threads[running].joiner].state = READY;
	schedule();
}

static void create(int t)
{
	getcontext(&threads[t].context);
	threads[t].context.uc_stack.ss_sp = threads[t].stack;
	threads[t].context.uc_stack.ss_size = STACK;
	threads[t].context.uc_sigmask = tick;
	threads[t].joiner = -1;
	makecontext(&threads[t].context, run, 0);
	threads[t].state = READY;
}

static void join(int t)
{
#ifdef FIXED
	off();
#endif
	if (threads[t].state != ENDED) {
		threads[t].joiner = running;
#ifndef FIXED
		off();
#endif
		threads[running].state = ASLEEP;
		schedule();
	}
	on();
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	sigemptyset(&tick);
	sigaddset(&tick, SIGVTALRM);
	sigaction(SIGVTALRM, &sa, NULL);
	threads[0].state = READY;
	for (int t = 1; t <= THREADS; t++)
		create(t);
	setitimer(ITIMER_VIRTUAL, &every, NULL);
	for (int t = 1; t <= THREADS; t++)
		join(t);
	setitimer(ITIMER_VIRTUAL, &never, NULL);
	return 0;
}
