/* A wait without a predicate: if the signal comes first, it is gone. No preemption: the signaller only has to run
 * first. FIXED: the waiter asks whether it was sent already. */
#include <pthread.h>

volatile int sent;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waiter(void *a)
{
	pthread_mutex_lock(&m);
#ifdef FIXED
	while (!sent)
#endif
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return a;
}

static void *signaller(void *a)
{
	pthread_mutex_lock(&m);
	sent = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, waiter, 0);
	pthread_create(&u, 0, signaller, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
