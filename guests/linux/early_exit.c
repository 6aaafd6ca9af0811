/* A thread that finds nothing ready ends the whole process with a failing status. No preemption: it only has to run
 * first. FIXED: it ends itself. */
#include <pthread.h>
#include <stdlib.h>

volatile int ready;

static void *impatient(void *a)
{
	if (!ready)
#ifdef FIXED
		return 0;
#else
		exit(3);
#endif
	return a;
}

static void *preparer(void *a)
{
	ready = 1;
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, impatient, 0);
	pthread_create(&u, 0, preparer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
