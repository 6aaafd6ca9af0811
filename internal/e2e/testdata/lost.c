/* Two threads add 1 each without a lock; -DN=n threads, -DLOCK with one. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static volatile int sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg)
{
#ifdef LOCK
	pthread_mutex_lock(&m);
#endif
	int old = sum;
	sum = old + 1;
#ifdef LOCK
	pthread_mutex_unlock(&m);
#endif
	return arg;
}

int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	assert(sum == N);
	(void)m;
	return 0;
}
