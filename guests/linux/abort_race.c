/* A state that "can't be": seen between two stores, it leads to an abort. One preemption.
 * FIXED: a lock around the stores and around the look. */
#include <pthread.h>
#include <stdlib.h>

volatile int state;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

#ifdef FIXED
#define ENTER() pthread_mutex_lock(&m)
#define LEAVE() pthread_mutex_unlock(&m)
#else
#define ENTER() (void)&m
#define LEAVE() (void)&m
#endif

static void *mover(void *a)
{
	ENTER();
	state = 1;
	state = 2;
	LEAVE();
	return a;
}

static void *watcher(void *a)
{
	ENTER();
	int s = state;
	LEAVE();
	if (s == 1)
		abort();
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, mover, 0);
	pthread_create(&u, 0, watcher, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
