/* mutex with priority inheritance */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m;
static volatile int n;

static void *child(void *arg)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&m);
		n++;
		if (i % 20 == 0)
			usleep(1);
		pthread_mutex_unlock(&m);
	}
	return NULL;
}

int main(void)
{
	pthread_mutexattr_t a;
	pthread_t t[3];
	pthread_mutexattr_init(&a);
	printf("%d\n", pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT));
	printf("%d\n", pthread_mutex_init(&m, &a));
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, child, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", n);
	return 0;
}
