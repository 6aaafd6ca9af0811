/* First come, first served: a writer waits for those before it, readers that
 * stand together in the queue get in together. A release lets in all that can
 * get in, so with a queue that isn't empty the lock is held. */
#include "thread.h"
#include "guard.h"
#include "queue.h"

int rwlock_init(rwlock_t *l)
{
	*l = (rwlock_t){.readers = 0};
	return 0;
}

void rwlock_destroy(rwlock_t *l)
{
	assert(!l->writer && l->readers == 0 && l->queue.head == NULL);
}

/* Whether the next one of a kind can get in now; then it holds the lock. */
static int admit(rwlock_t *l, int kind)
{
	if (l->writer || (kind == RWLOCK_WRITE && l->readers > 0))
		return 0;
	if (kind == RWLOCK_WRITE)
		l->writer = 1;
	else
		l->readers++;
	return 1;
}

void rwlock_lock(rwlock_t *l, int kind)
{
	struct waiter self;

	guard_lock(&l->guard);
	if (l->queue.head == NULL && admit(l, kind)) {
		guard_unlock(&l->guard);
		return;
	}
	self.kind = kind;
	enqueue(&l->queue, &self);
	guard_unlock(&l->guard);
	park(&self);
}

/* Lets in the threads that can get in, first to last, and gives the guard back. None is
 * granted twice: each is out of the queue before the guard is given back. */
static void release(rwlock_t *l)
{
	struct waiter *first = l->queue.head, *end = first;

	while (end != NULL && admit(l, end->kind))
		end = end->next;
	l->queue.head = end;
	guard_unlock(&l->guard);
	while (first != end) {
		struct waiter *next = first->next;
		grant(first);
		first = next;
	}
}

void rwlock_unlock(rwlock_t *l)
{
	guard_lock(&l->guard);
	if (l->writer)
		l->writer = 0;
	else
		l->readers--;
	release(l);
}

void rwlock_downgrade(rwlock_t *l)
{
	guard_lock(&l->guard);
	assert(l->writer);
	l->writer = 0;
	l->readers = 1;
	release(l);
}
