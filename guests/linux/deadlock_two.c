/* AB-BA: two locks taken in opposite orders. One preemption, when the first thread has one of them.
 * FIXED: the same order. */
#include <pthread.h>

volatile int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	x = x + 1;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return 0;
}

static void *forth(void *p)
{
	(void)p;
	return both(&a, &b);
}

static void *back(void *p)
{
	(void)p;
#ifdef FIXED
	return both(&a, &b);
#else
	return both(&b, &a);
#endif
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, forth, 0);
	pthread_create(&u, 0, back, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
