/* cancellation: in a condition wait, in a sleep, asynchronous, with clean-up */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int cleaned;

static void cleanup(void *arg)
{
	cleaned++;
	pthread_mutex_unlock(&m);
}

static void *waits(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(cleanup, NULL);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *sleeps(void *arg)
{
	for (;;)
		sleep(1);
}

static volatile long turns;

static void *spins(void *arg)
{
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;)
		turns++;
}

static void *tests(void *arg)
{
	for (;;)
		pthread_testcancel();
}

int main(void)
{
	void *(*f[])(void *) = {waits, sleeps, spins, tests};
	for (int i = 0; i < 4; i++) {
		pthread_t t;
		void *r;
		pthread_create(&t, NULL, f[i], NULL);
		usleep(50000);
		pthread_cancel(t);
		pthread_join(t, &r);
		printf("%d\n", r == PTHREAD_CANCELED);
	}
	printf("%d %d\n", cleaned, pthread_mutex_trylock(&m));
	return 0;
}
