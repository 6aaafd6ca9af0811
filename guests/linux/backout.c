/* A lock that adds one and backs out if it wasn't the first: the holder sees the other's transient value.
 * Two preemptions: of the holder, and of the other before it backs out. FIXED: a compare-and-swap leaves no trace. */
#include <assert.h>
#include <pthread.h>

volatile int held;

static void *worker(void *a)
{
#ifdef FIXED
	int free = 0;
	if (__atomic_compare_exchange_n(&held, &free, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		int v = held;
		assert(v == 1);
		held = 0;
	}
#else
	if (__atomic_fetch_add(&held, 1, __ATOMIC_SEQ_CST) == 0) {
		int v = held;
		assert(v == 1);
	}
	__atomic_fetch_sub(&held, 1, __ATOMIC_SEQ_CST);
#endif
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, worker, 0);
	pthread_create(&u, 0, worker, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
