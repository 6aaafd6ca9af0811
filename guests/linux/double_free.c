/* Two threads dispose of what a pointer points to. One takes it, and has not cleared the pointer yet when the other
   takes it too. One preemption. FIXED: taking and clearing is one critical section. */
#include <pthread.h>
#include <stdlib.h>

int *volatile shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *dispose(void *arg)
{
	pthread_mutex_lock(&lock);
	int *p = shared;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	shared = 0;
	pthread_mutex_unlock(&lock);
	free(p);
	return arg;
}

int main(void)
{
	shared = malloc(sizeof *shared);
	pthread_t t, u;
	pthread_create(&t, 0, dispose, 0);
	pthread_create(&u, 0, dispose, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
