/* Peterson's lock with its real, unbounded loop, and the two stores of its entry in the wrong order.
 * Two preemptions. FIXED: the flag before the turn, and both in memory before the other's flag is read. */
#include <assert.h>
#include <pthread.h>

volatile int flag[2], turn, inside;

static void *enter(int me)
{
	int other = 1 - me;
#ifdef FIXED
	flag[me] = 1;
	turn = other; __sync_synchronize();
#else
	turn = other;
	flag[me] = 1;
#endif
	while (flag[other] && turn == other)
		;
	inside = me + 1;
	int v = inside;
	assert(v == me + 1);
	flag[me] = 0;
	return 0;
}

static void *zero(void *a)
{
	(void)a;
	return enter(0);
}

static void *one(void *a)
{
	(void)a;
	return enter(1);
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, zero, 0);
	pthread_create(&u, 0, one, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
