/* A spin hand-off that gives the turn before the data. One preemption, between the two stores.
 * FIXED: the data first. */
#include <assert.h>
#include <pthread.h>

volatile int turn, data;

static void *giver(void *a)
{
#ifdef FIXED
	data = 42;
	turn = 1;
#else
	turn = 1;
	data = 42;
#endif
	return a;
}

static void *taker(void *a)
{
	while (!turn)
		;
	int v = data;
	assert(v == 42);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, giver, 0);
	pthread_create(&u, 0, taker, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
