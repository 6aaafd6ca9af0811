/* A thread that tries a lock, yields once, tries again and then goes on without it. One preemption, of the holder.
 * FIXED: it tries until it has the lock. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>

volatile int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *a)
{
	int got = pthread_mutex_trylock(&m) == 0;
#ifdef FIXED
	while (!got) {
#else
	if (!got) {
#endif
		sched_yield();
		got = pthread_mutex_trylock(&m) == 0;
	}
	x = x + 1;
	if (got)
		pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, add, 0);
	pthread_create(&u, 0, add, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(x == 2);
	return 0;
}
