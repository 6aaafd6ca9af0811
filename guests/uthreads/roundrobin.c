/*
 * Threads by makecontext and swapcontext, preempted by setitimer: round robin.
 *
 * Fault: a thread that gives way appends itself to the queue of ready threads with
 * the signal unblocked. A tick between the store of the slot and that of the tail
 * appends the same thread again over it, and one of the two is lost.
 * Cure (FIXED): the signal is blocked while the queue changes.
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <ucontext.h>

enum { THREADS = 2, MAX = 4, STACK = 16384 };

static ucontext_t context[MAX];
static char stacks[MAX][STACK];
static int queue[MAX * 4], head, tail, running, done[MAX];
static sigset_t tick;
int count;

static void enqueue(int t)
{
	queue[tail % (MAX * 4)] = t;
	tail = tail + 1;
}

static void schedule(void)
{
	int from = running;
	if (head == tail)
		return;
	running = queue[head % (MAX * 4)];
	head = head + 1;
	if (running != from)
		swapcontext(&context[from], &context[running]);
}

static void block(sigset_t *old) { sigprocmask(SIG_BLOCK, &tick, old); }
static void restore(sigset_t *old) { sigprocmask(SIG_SETMASK, old, NULL); }

static void on_tick(int sig)
{
	(void)sig;
	enqueue(running);
	schedule();
}

static void yield(void)
{
	sigset_t old;
#ifdef FIXED
	block(&old);
#endif
	enqueue(running);
#ifndef FIXED
	block(&old);
#endif
	schedule();
	restore(&old);
}

static void run(void)
{
	sigset_t old;
	sigprocmask(SIG_UNBLOCK, &tick, NULL);
	count = count + 1;
	block(&old);
	done[running] = 1;
	schedule();
	assert(!"a thread that has ended runs");
}

static void create(int t)
{
	sigset_t old;
	block(&old);
	getcontext(&context[t]);
	context[t].uc_stack.ss_sp = stacks[t];
	context[t].uc_stack.ss_size = STACK;
	context[t].uc_sigmask = tick; /* swapcontext sets the mask before the registers */
	makecontext(&context[t], run, 0);
	enqueue(t);
	restore(&old);
}

static void join(int t)
{
	int turns = 0;
	while (!done[t]) {
		assert(turns++ < 6);
		yield();
	}
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, off = { { 0, 0 }, { 0, 0 } };
	sigemptyset(&tick);
	sigaddset(&tick, SIGALRM);
	sigaction(SIGALRM, &sa, NULL);
	for (int t = 1; t <= THREADS; t++)
		create(t);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int t = 1; t <= THREADS; t++)
		join(t);
	setitimer(ITIMER_REAL, &off, NULL);
	return 0;
}
