/* A data race on a local variable of main, which it has given to two threads: landgo calls it main::total of thread 0.
 * No preemption, and nothing fails: only --fail-on race makes a bug of it. FIXED: each has its own element. */
#include <pthread.h>

static void *writer(void *a)
{
	volatile int *total = a;
	*total = 1;
	return 0;
}

static void *reader(void *a)
{
	volatile int *total = a;
	(void)*total;
	return 0;
}

int main(void)
{
	int total[2] = {0, 0};
	pthread_t t, u;
	pthread_create(&t, 0, writer, &total[0]);
#ifdef FIXED
	pthread_create(&u, 0, reader, &total[1]);
#else
	pthread_create(&u, 0, reader, &total[0]);
#endif
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
