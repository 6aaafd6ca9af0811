/* A wait for a semaphore that a signal may end (--faults eintr=1). FIXED: it waits again. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

sem_t s;
volatile int ready;

static void *tell(void *a)
{
	ready = 1;
	sem_post(&s);
	return a;
}

int main(void)
{
	pthread_t t;
	sem_init(&s, 0, 0);
	pthread_create(&t, 0, tell, 0);
#ifdef FIXED
	while (sem_wait(&s) == -1 && errno == EINTR)
		;
#else
	sem_wait(&s);
#endif
	assert(ready);
	pthread_join(t, 0);
	return 0;
}
