/* A waiter that doesn't look again: its wait may end for nothing (--faults spurious=1). FIXED: while. */
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int ready;

#ifdef FIXED
#define UNTIL while
#else
#define UNTIL if
#endif

static void *tell(void *a)
{
	pthread_mutex_lock(&m);
	ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, tell, 0);
	pthread_mutex_lock(&m);
	UNTIL (!ready)
		pthread_cond_wait(&c, &m);
	assert(ready);
	pthread_mutex_unlock(&m);
	pthread_join(t, 0);
	return 0;
}
