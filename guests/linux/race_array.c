/* A data race on an element of an array: each thread has its own, but one looks at its neighbour's, slot[1].
 * No preemption, and nothing fails: only --fail-on race makes a bug of it. FIXED: it looks at its own. */
#include <pthread.h>

volatile int slot[3];

static void *low(void *a)
{
	slot[0] = 1;
#ifdef FIXED
	(void)slot[0];
#else
	(void)slot[1];
#endif
	return a;
}

static void *high(void *a)
{
	slot[1] = 1;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, low, 0);
	pthread_create(&u, 0, high, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
