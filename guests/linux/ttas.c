/* A test-and-test-and-set lock that sets by a plain store. Two preemptions: one after the test, one inside.
 * FIXED: an atomic exchange. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

volatile int held, inside;

static void lock(void)
{
	for (;;) {
		while (held)
			;
#ifdef FIXED
		if (!__atomic_exchange_n(&held, 1, __ATOMIC_SEQ_CST))
			return;
#else
		held = 1;
		return;
#endif
	}
}

static void *worker(void *a)
{
	int id = (int)(intptr_t)a;
	lock();
	inside = id;
	int v = inside;
	assert(v == id);
	held = 0;
	return 0;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, worker, (void *)1);
	pthread_create(&u, 0, worker, (void *)2);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
