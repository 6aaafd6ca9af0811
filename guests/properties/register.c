/* A counter with a specification of its own. The fault: the increase is a read and a
 * write. The cure: one atomic operation. */
#include <pthread.h>
#include "landgo-linux.h"

static volatile long counter;
enum { NEXT = 1 };
static void init(void *state) { *(long *)state = 0; }
static long apply(void *state, long op, long step)
{
	long *n = state;
	return op == NEXT ? *n += step : *n;
}

static long next(long step)
{
#ifdef FIXED
	return __sync_add_and_fetch(&counter, step);
#else
	return counter += step;
#endif
}

static void *thread(void *a)
{
	landgo_op(&counter, NEXT, 2, next(2));
	return a;
}

int main(void)
{
	pthread_t t;
	landgo_assert_linearizable_as(&counter, init, apply, sizeof(long));
	pthread_create(&t, 0, thread, 0);
	landgo_op(&counter, NEXT, 3, next(3));
	pthread_join(t, 0);
	return 0;
}
