/* A thread that there may be no room for (--faults create=1): the count is of threads that were asked for. FIXED: of
 * those that there are. */
#include <assert.h>
#include <pthread.h>

volatile int done[2];

static void *work(void *a)
{
	*(volatile int *)a = 1;
	return 0;
}

int main(void)
{
	pthread_t t[2];
	int there[2];
	for (int i = 0; i < 2; i++)
		there[i] = pthread_create(&t[i], 0, work, (void *)&done[i]) == 0;
	for (int i = 0; i < 2; i++)
		if (there[i])
			pthread_join(t[i], 0);
#ifdef FIXED
		else
			work((void *)&done[i]);
#endif
	assert(done[0] && done[1]);
	return 0;
}
