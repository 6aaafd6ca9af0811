/* robust mutex whose owner dies, with and without a waiter */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>

static pthread_mutex_t m;
static volatile int held;

static void *dies(void *arg)
{
	pthread_mutex_lock(&m);
	held = 1;
	usleep(100000);
	return NULL;
}

static void *waits(void *arg)
{
	while (!held)
		usleep(1000);
	int r = pthread_mutex_lock(&m);
	if (r == EOWNERDEAD)
		pthread_mutex_consistent(&m);
	pthread_mutex_unlock(&m);
	return (void *)(long)(r == EOWNERDEAD);
}

static void run(int protocol)
{
	pthread_mutexattr_t a;
	pthread_t t[2];
	void *died;
	held = 0;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutex_init(&m, &a);
	pthread_create(&t[0], NULL, dies, NULL);
	pthread_create(&t[1], NULL, waits, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], &died);
	printf("%ld %d\n", (long)died, pthread_mutex_lock(&m));
	pthread_mutex_unlock(&m);
	pthread_create(&t[0], NULL, dies, NULL);
	pthread_join(t[0], NULL);
	printf("%d\n", pthread_mutex_trylock(&m) == EOWNERDEAD);
	/* Not made consistent. */
	pthread_mutex_unlock(&m);
	printf("%d\n", pthread_mutex_lock(&m) == ENOTRECOVERABLE);
}

int main(void)
{
	run(PTHREAD_PRIO_NONE);
	run(PTHREAD_PRIO_INHERIT);
	return 0;
}
