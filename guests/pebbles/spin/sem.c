#include "pebbles.h"
#include "thread.h"
#include "variant.h"

int sem_init(sem_t *s, int count)
{
	if (count < 0)
		return -1;
	s->count = count;
	cond_init(&s->more);
	return mutex_init(&s->lock);
}

void sem_destroy(sem_t *s)
{
	cond_destroy(&s->more);
	mutex_destroy(&s->lock);
}

void sem_wait(sem_t *s)
{
	mutex_lock(&s->lock);
#if SEM_IF
	/* Another thread may have taken it between the signal and the lock. */
	if (s->count <= 0)
#else
	while (s->count <= 0)
#endif
		cond_wait(&s->more, &s->lock);
	s->count--;
	mutex_unlock(&s->lock);
}

void sem_signal(sem_t *s)
{
	mutex_lock(&s->lock);
	s->count++;
	cond_signal(&s->more);
	mutex_unlock(&s->lock);
}
