/* A waiter that doesn't look again: between the signal and its reacquiring the lock, the other taker took the item.
 * One preemption, of the putter after its first item. FIXED: while. */
#include <assert.h>
#include <pthread.h>

volatile int items;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

#ifdef FIXED
#define UNTIL while
#else
#define UNTIL if
#endif

static void *taker(void *a)
{
	pthread_mutex_lock(&m);
	UNTIL (items == 0)
		pthread_cond_wait(&c, &m);
	int n = items;
	assert(n > 0);
	items = n - 1;
	pthread_mutex_unlock(&m);
	return a;
}

static void *putter(void *a)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&m);
		items = items + 1;
		pthread_cond_signal(&c);
		pthread_mutex_unlock(&m);
	}
	return a;
}

int main(void)
{
	pthread_t t, u, v;
	pthread_create(&t, 0, taker, 0);
	pthread_create(&u, 0, taker, 0);
	pthread_create(&v, 0, putter, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	pthread_join(v, 0);
	return 0;
}
