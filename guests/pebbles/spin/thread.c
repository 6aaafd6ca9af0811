/* Threads, in a table of fixed size under one lock.
 *
 * A thread is in the table from its creation until it has been joined. Its
 * creator holds the lock from before the fork until the entry is complete, so a
 * child that comes to need its entry finds it.
 *
 * A thread's end: it marks its entry, wakes its joiner, and then gives the lock
 * back and vanishes without touching its stack in between. The joiner takes the
 * lock before it frees the stack. By then the thread needs its stack no more:
 * on one processor only the two last instructions of unlock_and_vanish are
 * left. */
#include "pebbles.h"
#include "thread.h"
#include "variant.h"

#define MAX_THREADS 8
#define STACKS ((char *)0x20000000)

int thread_spawn(void *stack, void *(*func)(void *), void *arg);
void unlock_and_vanish(volatile int *held) __attribute__((noreturn));

struct thread {
	int tid;     /* 0: the entry is free */
	char *stack; /* NULL for the first thread, whose stack isn't ours */
	void *status;
	volatile int exited;
	int joiner;
};

static struct thread threads[MAX_THREADS];
static mutex_t lock;
static int stack_size;

/* The entry with an id, or NULL. The lock is held. */
static struct thread *find(int tid)
{
	for (int i = 0; i < MAX_THREADS; i++)
		if (threads[i].tid == tid)
			return &threads[i];
	return NULL;
}

int thr_init(unsigned size)
{
	stack_size = (size + PAGE_SIZE - 1) & ~(PAGE_SIZE - 1);
	threads[0].tid = gettid();
	return 0;
}

/* Stacks lie apart, so that one which overflows hits nothing. */
static char *stack_of(struct thread *t)
{
	return STACKS + (t - threads) * (stack_size + PAGE_SIZE);
}

int thr_create(void *(*func)(void *), void *arg)
{
	mutex_lock(&lock);
	struct thread *t = find(0);
	if (t == NULL || new_pages(stack_of(t), stack_size) < 0) {
		mutex_unlock(&lock);
		return -1;
	}
	t->stack = stack_of(t);
	t->exited = 0;
	t->joiner = 0;
#if CREATE_RACE
	/* The child may look for its entry before its id is there. */
	t->tid = -1;
	mutex_unlock(&lock);
	int tid = thread_spawn(t->stack + stack_size, func, arg);
	t->tid = tid;
#else
	int tid = thread_spawn(t->stack + stack_size, func, arg);
	t->tid = tid;
	mutex_unlock(&lock);
#endif
	return tid;
}

void thr_exit(void *status)
{
	int tid = gettid();

	mutex_lock(&lock);
	struct thread *t = find(tid);
	assert(t != NULL);
	t->status = status;
	t->exited = 1;
	if (t->joiner != 0)
		make_runnable(t->joiner);
#if EXIT_OWN_STACK
	/* remove_pages has no way back from here. */
	if (t->stack != NULL)
		remove_pages(t->stack);
#endif
#if EXIT_UNLOCKS_EARLY
	/* mutex_unlock returns on a stack that may be gone. */
	mutex_unlock(&lock);
	vanish();
#else
	unlock_and_vanish(&lock.held);
#endif
}

int thr_join(int tid, void **status)
{
	mutex_lock(&lock);
	struct thread *t = tid > 0 ? find(tid) : NULL;
	int self = gettid();
	if (t == NULL || t->joiner != 0 || tid == self) {
		mutex_unlock(&lock);
		return -1;
	}
	t->joiner = self;
	mutex_unlock(&lock);

#if JOIN_LOST_WAKEUP
	int never = 0;
	while (!t->exited)
		deschedule(&never);
#else
	while (!t->exited)
		deschedule((int *)&t->exited);
#endif
#if JOIN_FREES_EARLY
	/* The thread may still be on its way to vanish. */
	if (t->stack != NULL)
		remove_pages(t->stack);
	mutex_lock(&lock);
#else
	mutex_lock(&lock);
	if (t->stack != NULL && !EXIT_OWN_STACK)
		remove_pages(t->stack);
#endif
	if (status != NULL)
		*status = t->status;
	t->tid = 0;
	mutex_unlock(&lock);
	return 0;
}

int thr_getid(void) { return gettid(); }

int thr_yield(int tid) { return yield(tid); }
