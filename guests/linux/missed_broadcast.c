/* A signal where a broadcast is needed: two threads wait, one is woken. No preemption. FIXED: a broadcast. */
#include <pthread.h>

volatile int open;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *visitor(void *a)
{
	pthread_mutex_lock(&m);
	while (!open)
		pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	return a;
}

static void *opener(void *a)
{
	pthread_mutex_lock(&m);
	open = 1;
#ifdef FIXED
	pthread_cond_broadcast(&c);
#else
	pthread_cond_signal(&c);
#endif
	pthread_mutex_unlock(&m);
	return a;
}

int main(void)
{
	pthread_t t, u, v;
	pthread_create(&t, 0, visitor, 0);
	pthread_create(&u, 0, visitor, 0);
	pthread_create(&v, 0, opener, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	pthread_join(v, 0);
	return 0;
}
