#include "thread.h"
#include "guard.h"
#include "queue.h"

int cond_init(cond_t *c)
{
	*c = (cond_t){.queue = {NULL, NULL}};
	return 0;
}

void cond_destroy(cond_t *c)
{
	assert(c->queue.head == NULL);
}

void cond_wait(cond_t *c, mutex_t *m)
{
	struct waiter self;

#if COND_UNLOCKS_FIRST
	/* A signal that comes now finds no waiter. */
	mutex_unlock(m);
#endif
	guard_lock(&c->guard);
	enqueue(&c->queue, &self);
	guard_unlock(&c->guard);
#if !COND_UNLOCKS_FIRST
	mutex_unlock(m);
#endif
	park(&self);
	mutex_lock(m);
}

void cond_signal(cond_t *c)
{
	guard_lock(&c->guard);
	struct waiter *w = dequeue(&c->queue);
	guard_unlock(&c->guard);
	if (w != NULL)
		grant(w);
}

void cond_broadcast(cond_t *c)
{
	guard_lock(&c->guard);
	struct waiter *w = c->queue.head;
	c->queue.head = NULL;
	guard_unlock(&c->guard);
	while (w != NULL) {
		struct waiter *next = w->next;
		grant(w);
		w = next;
	}
}
