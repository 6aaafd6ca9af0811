/* A lock is a word that xchg takes. A thread that doesn't get it lets others run: on one
 * processor nothing else can make it free. */
#include "pebbles.h"
#include "thread.h"
#include "variant.h"

static inline int xchg(volatile int *p, int v)
{
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(*p) : : "memory");
	return v;
}

int mutex_init(mutex_t *m)
{
	m->held = 0;
	return 0;
}

void mutex_destroy(mutex_t *m)
{
	assert(!m->held);
}

void mutex_lock(mutex_t *m)
{
#if MUTEX_PLAIN
	/* Between the look and the store another thread can do the same. */
	while (m->held)
		yield(-1);
	m->held = 1;
#else
	while (xchg(&m->held, 1))
		yield(-1);
#endif
}

void mutex_unlock(mutex_t *m)
{
	__asm__ volatile("" : : : "memory");
	m->held = 0;
}
