/* AB-BA between two threads that are never joined; main and a third thread come to their end. One preemption.
 * FIXED: the same order. */
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
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

static void *bystander(void *p)
{
	return p;
}

int main(void)
{
	pthread_t t, u, v;
	pthread_create(&t, 0, forth, 0);
	pthread_create(&u, 0, back, 0);
	pthread_create(&v, 0, bystander, 0);
	pthread_join(v, 0);
	pthread_exit(0);
}
