/* A mutex is handed over: an unlock that finds a waiter leaves it held. */
#include "thread.h"
#include "guard.h"
#include "queue.h"

int mutex_init(mutex_t *m)
{
	*m = (mutex_t){.held = 0};
	return 0;
}

void mutex_destroy(mutex_t *m)
{
	assert(!m->held);
}

void mutex_lock(mutex_t *m)
{
	struct waiter self;

	guard_lock(&m->guard);
	if (!m->held) {
		m->held = 1;
		guard_unlock(&m->guard);
		return;
	}
	enqueue(&m->queue, &self);
	guard_unlock(&m->guard);
	park(&self);
}

void mutex_unlock(mutex_t *m)
{
	guard_lock(&m->guard);
	struct waiter *w = UNLOCK_SILENT ? NULL : dequeue(&m->queue);
	if (w == NULL || UNLOCK_TWICE)
		m->held = 0;
	guard_unlock(&m->guard);
	if (w != NULL)
		grant(w);
}
