/* Two threads make what neither has seen yet: the first one's block is lost when the second stores its own. One preemption,
   between looking and storing. FIXED: one critical section. */
#include <pthread.h>
#include <stdlib.h>

int *volatile shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *make(void *arg)
{
	pthread_mutex_lock(&lock);
	if (!shared) {
#ifndef FIXED
		pthread_mutex_unlock(&lock);
		int *p = malloc(sizeof *p);
		pthread_mutex_lock(&lock);
		shared = p;
#else
		shared = malloc(sizeof *shared);
#endif
	}
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, make, 0);
	pthread_create(&u, 0, make, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	free(shared);
	shared = 0;
	return 0;
}
