/* Semaphore ping-pong over one cell, with room for two: the second value runs over the first.
 * No preemption. FIXED: room for one. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifdef FIXED
#define ROOM 1
#else
#define ROOM 2
#endif

volatile int cell, finished;
sem_t room, full;

static void *ping(void *a)
{
	for (int i = 1; i <= 2; i++) {
		sem_wait(&room);
		cell = i;
		sem_post(&full);
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
	return a;
}

static void *pong(void *a)
{
	for (int i = 1; i <= 2; i++) {
		sem_wait(&full);
		int v = cell;
		assert(v == i);
		sem_post(&room);
	}
	__atomic_fetch_add(&finished, 1, __ATOMIC_SEQ_CST);
	return a;
}

int main(void)
{
	pthread_t t, u;
	sem_init(&room, 0, ROOM);
	sem_init(&full, 0, 0);
	pthread_create(&t, 0, ping, 0);
	pthread_create(&u, 0, pong, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
