/* main takes the pool away and returns without joining. Its return ends the worker too, so that the fault shows only
 * if main is left in between: at its end, which is no preemption. FIXED: the pool stays; main still returns under the
 * worker. */
#include <pthread.h>

int cell = 7;
int *volatile pool = &cell;
volatile int seen;

static void *worker(void *a)
{
	seen = *pool;
	return a;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, worker, 0);
#ifndef FIXED
	pool = 0;
#endif
	(void)seen; /* a look: what the worker has done by then makes a difference */
	return 0;
}
