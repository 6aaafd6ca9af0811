/* A waiter stands in the queue with a word of its own, on its stack, that says
 * that it was signalled. It sleeps by deschedule on that word: a signal that
 * comes before it sleeps keeps it awake.
 *
 * A signaller takes the waiter out of the queue first; no other thread knows it
 * then. It reads the id before it sets the word, for once that is set the waiter
 * may go on, and its stack with it. So the make_runnable that follows can come
 * late: when the waiter never slept, and sleeps somewhere else by now. It wakes
 * it there for nothing, and that is why each sleeper looks again. */
#include "pebbles.h"
#include "thread.h"
#include "variant.h"

struct waiter {
	int tid;
	volatile int signalled;
	struct waiter *next;
};

int cond_init(cond_t *c)
{
	c->head = c->tail = NULL;
	return mutex_init(&c->guard);
}

void cond_destroy(cond_t *c)
{
	assert(c->head == NULL);
	mutex_destroy(&c->guard);
}

void cond_wait(cond_t *c, mutex_t *m)
{
	struct waiter w = {.tid = gettid()};

	mutex_lock(&c->guard);
	if (c->head == NULL)
		c->head = &w;
	else
		c->tail->next = &w;
	c->tail = &w;
	mutex_unlock(&c->guard);

	mutex_unlock(m);
#if COND_LOST_WAKEUP
	/* A signal that comes between the look and the sleep is lost. */
	int never = 0;
	while (!w.signalled)
		deschedule(&never);
#elif COND_SPURIOUS
	/* A late make_runnable for an earlier wait ends this one. */
	deschedule((int *)&w.signalled);
#else
	while (!w.signalled)
		deschedule((int *)&w.signalled);
#endif
	mutex_lock(m);
}

static void wake(struct waiter *w)
{
	int tid = w->tid;

	/* volatile says nothing of tid: gcc would read it after the store. */
	__asm__ volatile("" : : : "memory");
	w->signalled = 1;
	make_runnable(tid);
}

void cond_signal(cond_t *c)
{
	mutex_lock(&c->guard);
	struct waiter *w = c->head;
	if (w != NULL)
		c->head = w->next;
	mutex_unlock(&c->guard);

	if (w != NULL)
		wake(w);
}

void cond_broadcast(cond_t *c)
{
#if BROADCAST_ONE
	cond_signal(c);
#else
	mutex_lock(&c->guard);
	struct waiter *w = c->head;
	c->head = NULL;
	mutex_unlock(&c->guard);

	while (w != NULL) {
		struct waiter *next = w->next;
		wake(w);
		w = next;
	}
#endif
}
