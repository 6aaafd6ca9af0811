/* Fails on every schedule, before a second thread exists: no concurrency bug. FIXED: the sum is right. */
#include <assert.h>
#include <pthread.h>

volatile int sum, total;

static void *add(void *a)
{
	__atomic_fetch_add(&total, sum, __ATOMIC_SEQ_CST);
	return a;
}

int main(void)
{
#ifdef FIXED
	for (int i = 1; i <= 4; i++)
#else
	for (int i = 1; i < 4; i++)
#endif
		sum = sum + i;
	assert(sum == 10);
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
