/* A taker that looks into a mailbox under its lock, and yields, until it has two letters. The putter looks once: where
 * the first letter is still there, the second is lost, and the taker looks for ever. No preemption: the putter puts
 * both before the taker looks. FIXED: the putter too looks until the box is empty. */
#include <pthread.h>
#include <sched.h>

volatile int full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static int put(void)
{
	pthread_mutex_lock(&m);
	int done = !full;
	if (done)
		full = 1;
	pthread_mutex_unlock(&m);
	return done;
}

static void *putter(void *a)
{
	for (int i = 0; i < 2; i++) {
#ifdef FIXED
		while (!put())
			sched_yield();
#else
		put();
#endif
	}
	return a;
}

static void *taker(void *a)
{
	for (int n = 0; n < 2;) {
		pthread_mutex_lock(&m);
		int got = full;
		if (got)
			full = 0;
		pthread_mutex_unlock(&m);
		if (got)
			n++;
		else
			sched_yield();
	}
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, putter, 0);
	pthread_create(&u, 0, taker, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
