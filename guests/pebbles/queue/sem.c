/* A unit is handed to the first in the queue; only what no thread waits for is
 * counted. */
#include "thread.h"
#include "guard.h"
#include "queue.h"

int sem_init(sem_t *s, int count)
{
	if (count < 0)
		return -1;
	*s = (sem_t){.count = count};
	return 0;
}

void sem_destroy(sem_t *s)
{
	assert(s->queue.head == NULL);
}

void sem_wait(sem_t *s)
{
	struct waiter self;

	guard_lock(&s->guard);
	if (s->count > 0) {
		s->count--;
		guard_unlock(&s->guard);
		return;
	}
	enqueue(&s->queue, &self);
	guard_unlock(&s->guard);
	park(&self);
}

void sem_signal(sem_t *s)
{
	guard_lock(&s->guard);
	struct waiter *w = dequeue(&s->queue);
	if (w == NULL || SEM_TWICE)
		s->count++;
	guard_unlock(&s->guard);
	if (w != NULL)
		grant(w);
}
