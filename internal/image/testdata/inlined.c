/* A store that is inlined twice. */
#include <pthread.h>

int counter;
volatile int other;

static inline __attribute__((always_inline)) void set(int *p, int v)
{
	__atomic_store_n(p, v, __ATOMIC_SEQ_CST); /* store */
}

static inline __attribute__((always_inline)) void update(int v)
{
	if (other)
		other = 0;
	set(&counter, v); /* call */
}

__attribute__((noinline)) void *worker(void *arg)
{
	update((int)(long)arg); /* outer */
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, worker, 0);
	pthread_join(t, 0);
	return counter;
}
