/* main joins a thread that waits for work for ever. No preemption. FIXED: main returns under it, which is no
 * deadlock: the process's end ends all threads. */
#include <pthread.h>

volatile int jobs;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *serve(void *a)
{
	pthread_mutex_lock(&m);
	while (jobs == 0)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, serve, 0);
#ifndef FIXED
	pthread_join(t, 0);
#endif
	return 0;
}
