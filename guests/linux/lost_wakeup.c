/* A lost wake-up: the waiter looks at the flag outside the lock, and the signal comes before it waits.
 * One preemption, between the look and the wait. FIXED: it looks inside the lock. */
#include <pthread.h>

volatile int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *a)
{
#ifdef FIXED
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
#else
	while (!ready) {
		pthread_mutex_lock(&m);
		pthread_cond_wait(&c, &m);
		pthread_mutex_unlock(&m);
	}
#endif
	return a;
}

static void *signaller(void *a)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, waiter, 0);
	pthread_create(&u, 0, signaller, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
