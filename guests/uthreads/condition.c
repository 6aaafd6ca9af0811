/*
 * A mutex and a condition variable with queues of sleepers, over swapcontext, preempted by
 * ITIMER_REAL.
 *
 * Fault: a wait unlocks the mutex before it enters the condition's queue, with ticks
 * unblocked. A thread that signals in between finds an empty queue, and the waiter
 * sleeps for ever.
 * Cure (FIXED): ticks are blocked from the unlocking to the sleep.
 */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>

enum { THREADS = 2, STACK = 16384 };

struct queue {
	int head, tail, ids[32];
};
struct mutex {
	int held;
	struct queue waiting;
};
struct condition {
	struct queue waiting;
};

static ucontext_t contexts[THREADS + 1];
static char stacks[THREADS + 1][STACK];
static struct queue ready;
static int running, alive = THREADS;
static sigset_t tick;

static void put(struct queue *q, int t) { q->ids[q->tail++ % 32] = t; }
static int get(struct queue *q) { return q->head == q->tail ? -1 : q->ids[q->head++ % 32]; }

static void off(void) { sigprocmask(SIG_BLOCK, &tick, NULL); }
static void on(void) { sigprocmask(SIG_UNBLOCK, &tick, NULL); }

/* Ticks are off. */
static void sleep_now(void)
{
	int from = running, to = get(&ready);
	if (to < 0)
		abort(); /* all threads sleep */
	running = to;
	if (to != from)
		swapcontext(&contexts[from], &contexts[to]);
}

static void on_tick(int sig)
{
	(void)sig;
	put(&ready, running);
	sleep_now();
}

static void lock(struct mutex *m)
{
	off();
	while (m->held) {
		put(&m->waiting, running);
		sleep_now();
	}
	m->held = 1;
	on();
}

static void unlock_off(struct mutex *m)
{
	int t = get(&m->waiting);
	m->held = 0;
	if (t >= 0)
		put(&ready, t);
}

static void unlock(struct mutex *m)
{
	off();
	unlock_off(m);
	on();
}

static void wait(struct condition *c, struct mutex *m)
{
#ifdef FIXED
	off();
	unlock_off(m);
#else
	unlock(m);
	off();
#endif
	put(&c->waiting, running);
	sleep_now();
	on();
	lock(m);
}

static void signal_one(struct condition *c)
{
	off();
	int t = get(&c->waiting);
	if (t >= 0)
		put(&ready, t);
	on();
}

static struct mutex m;
static struct condition changed;
static int full;

static void run(void)
{
	on();
	if (running == 1) {
		lock(&m);
		while (!full)
			wait(&changed, &m);
		unlock(&m);
	} else {
		lock(&m);
		full = 1;
		signal_one(&changed);
		unlock(&m);
	}
	off();
	if (--alive == 0)
		put(&ready, 0);
	sleep_now();
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_tick };
	struct itimerval every = { { 0, 1000 }, { 0, 1000 } }, never = { { 0, 0 }, { 0, 0 } };
	sigemptyset(&tick);
	sigaddset(&tick, SIGALRM);
	sigaction(SIGALRM, &sa, NULL);
	for (int t = 1; t <= THREADS; t++) {
		getcontext(&contexts[t]);
		contexts[t].uc_stack.ss_sp = stacks[t];
		contexts[t].uc_stack.ss_size = STACK;
		contexts[t].uc_sigmask = tick;
		makecontext(&contexts[t], run, 0);
		put(&ready, t);
	}
	off();
	setitimer(ITIMER_REAL, &every, NULL);
	sleep_now();
	setitimer(ITIMER_REAL, &never, NULL);
	return 0;
}
