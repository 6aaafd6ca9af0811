/* The beginnings of a thread library: enough to run hello.c, and to see landgo
 * check it. It has threads that can't be joined, and a mutex. */
#include "pebbles.h"
#include "thread.h"

#define STACKS ((char *)0x20000000)

int thread_spawn(void *stack, void *(*func)(void *), void *arg);

static unsigned stack_size;
static int stacks;

int thr_init(unsigned size)
{
	stack_size = (size + PAGE_SIZE - 1) & -PAGE_SIZE;
	return 0;
}

/* Only the first thread of hello.c creates others, so `stacks` needs no lock. */
int thr_create(void *(*func)(void *), void *arg)
{
	char *stack = STACKS + stacks++ * (stack_size + PAGE_SIZE);

	if (new_pages(stack, stack_size) < 0)
		return -1;
	return thread_spawn(stack + stack_size, func, arg);
}

void thr_exit(void *status)
{
	(void)status;
	vanish();
}

int mutex_init(mutex_t *m)
{
	m->held = 0;
	return 0;
}

void mutex_lock(mutex_t *m)
{
	while (__atomic_exchange_n(&m->held, 1, __ATOMIC_SEQ_CST))
		yield(-1);
}

void mutex_unlock(mutex_t *m)
{
	__atomic_store_n(&m->held, 0, __ATOMIC_RELEASE);
}
