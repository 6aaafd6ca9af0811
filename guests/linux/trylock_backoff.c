/* Two locks by trylock, and back off if the second is taken: but the first isn't given back, and the thread ends
 * with it. One preemption. FIXED: it gives the first one back. */
#include <pthread.h>

volatile int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(pthread_mutex_t *mine, pthread_mutex_t *other)
{
	pthread_mutex_lock(mine);
	if (pthread_mutex_trylock(other) != 0) {
#ifdef FIXED
		pthread_mutex_unlock(mine);
#endif
		return 0;
	}
	x = x + 1;
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(mine);
	return 0;
}

static void *ab(void *p)
{
	(void)p;
	return both(&a, &b);
}

static void *ba(void *p)
{
	(void)p;
	return both(&b, &a);
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, ab, 0);
	pthread_create(&u, 0, ba, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
