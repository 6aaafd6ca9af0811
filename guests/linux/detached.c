/* The workers are detached where they should be joined, and main looks at the result too early. No preemption.
 * FIXED: joined. */
#include <assert.h>
#include <pthread.h>

volatile int result;

static void *worker(void *a)
{
	__atomic_fetch_add(&result, 1, __ATOMIC_SEQ_CST);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, worker, 0);
	pthread_create(&u, 0, worker, 0);
#ifdef FIXED
	pthread_join(t, 0);
	pthread_join(u, 0);
#else
	pthread_detach(t);
	pthread_detach(u);
#endif
	assert(result == 2);
	return 0;
}
