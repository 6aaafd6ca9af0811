/* A circle of three locks. One preemption is enough: the thread that has c stops before it takes a. Then the
 * one that has b blocks on c, and the one that has a blocks on b. FIXED: the third thread takes a before c. */
#include <pthread.h>

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;

static void *both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return 0;
}

static void *ab(void *p)
{
	(void)p;
	return both(&a, &b);
}

static void *bc(void *p)
{
	(void)p;
	return both(&b, &c);
}

static void *ca(void *p)
{
	(void)p;
#ifdef FIXED
	return both(&a, &c);
#else
	return both(&c, &a);
#endif
}

int main(void)
{
	pthread_t t, u, v;
	pthread_create(&t, 0, ab, 0);
	pthread_create(&u, 0, bc, 0);
	pthread_create(&v, 0, ca, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	pthread_join(v, 0);
	return 0;
}
