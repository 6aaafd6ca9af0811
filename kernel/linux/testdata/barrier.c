/* barriers */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t b;
static int serial;

static void *child(void *arg)
{
	for (int i = 0; i < 3; i++)
		if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serial, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	pthread_barrier_init(&b, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, child, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&b);
	printf("%d\n", serial);
	return 0;
}
