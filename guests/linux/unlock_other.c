/* A thread "rescues" a lock that it doesn't hold: both libcs let it. One preemption, of the holder.
 * FIXED: it takes the lock if it is free, and gives back its own. */
#include <pthread.h>

volatile int busy;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *a)
{
	pthread_mutex_lock(&m);
	busy = 1;
	busy = 0;
	pthread_mutex_unlock(&m);
	return a;
}

static void *rescuer(void *a)
{
#ifdef FIXED
	if (pthread_mutex_trylock(&m) == 0)
		pthread_mutex_unlock(&m);
#else
	if (busy)
		pthread_mutex_unlock(&m);
#endif
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, holder, 0);
	pthread_create(&u, 0, rescuer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
