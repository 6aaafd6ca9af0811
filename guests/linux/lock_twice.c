/* A function that locks calls another that locks too, if a thread has switched that on. No preemption: the switch only
 * has to come first. FIXED: the inner one relies on its caller's lock. */
#include <pthread.h>

volatile int nested, x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void inner(void)
{
#ifndef FIXED
	pthread_mutex_lock(&m);
#endif
	x = 1;
#ifndef FIXED
	pthread_mutex_unlock(&m);
#endif
}

static void *outer(void *a)
{
	pthread_mutex_lock(&m);
	if (nested)
		inner();
	pthread_mutex_unlock(&m);
	return a;
}

static void *switcher(void *a)
{
	nested = 1;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, outer, 0);
	pthread_create(&u, 0, switcher, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
