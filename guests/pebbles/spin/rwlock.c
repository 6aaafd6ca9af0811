/* Writers come before readers that haven't got in yet. A thread that leaves wakes all, and they
 * look again. */
#include "pebbles.h"
#include "thread.h"
#include "variant.h"

int rwlock_init(rwlock_t *l)
{
	l->readers = l->writer = l->writers_waiting = 0;
	cond_init(&l->change);
	return mutex_init(&l->lock);
}

void rwlock_destroy(rwlock_t *l)
{
	assert(!l->writer && l->readers == 0 && l->writers_waiting == 0);
	cond_destroy(&l->change);
	mutex_destroy(&l->lock);
}

void rwlock_lock(rwlock_t *l, int type)
{
	mutex_lock(&l->lock);
	if (type == RWLOCK_WRITE) {
		l->writers_waiting++;
		while (l->writer || l->readers > 0)
			cond_wait(&l->change, &l->lock);
		l->writers_waiting--;
		l->writer = 1;
	} else {
		while (l->writer || l->writers_waiting > 0)
			cond_wait(&l->change, &l->lock);
		l->readers++;
	}
	mutex_unlock(&l->lock);
}

void rwlock_unlock(rwlock_t *l)
{
	mutex_lock(&l->lock);
	if (l->writer)
		l->writer = 0;
	else
		l->readers--;
	if (!RWLOCK_SILENT)
		cond_broadcast(&l->change);
	mutex_unlock(&l->lock);
}

/* A downgrade lets waiting readers in only if no writer waits: those come
 * first, and the caller is a reader that they wait for. */
void rwlock_downgrade(rwlock_t *l)
{
	mutex_lock(&l->lock);
	assert(l->writer);
	l->writer = 0;
#if RWLOCK_DOWNGRADE_RELEASES
	/* Until it holds it again, to read, a writer can get in. */
	cond_broadcast(&l->change);
	mutex_unlock(&l->lock);
	rwlock_lock(l, RWLOCK_READ);
#else
	l->readers = 1;
	cond_broadcast(&l->change);
	mutex_unlock(&l->lock);
#endif
}
