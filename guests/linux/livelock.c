/* Two threads, each with its flag up, each waiting for the other's to go down. One preemption, after the first flag.
 * FIXED: the second raises its flag only when the first's is down. */
#include <pthread.h>

volatile int one, two;

static void *first(void *a)
{
	one = 1;
	while (two)
		;
	one = 0;
	return a;
}

static void *second(void *a)
{
#ifdef FIXED
	while (one)
		;
	two = 1;
#else
	two = 1;
	while (one)
		;
#endif
	two = 0;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, first, 0);
	pthread_create(&u, 0, second, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
