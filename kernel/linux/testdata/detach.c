/* detached threads, pthread_exit of the first */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *child(void *arg)
{
	usleep(1000);
	if (__atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST) == 3)
		printf("last\n");
	return NULL;
}

int main(void)
{
	static int n;
	pthread_attr_t a;
	pthread_attr_init(&a);
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	for (int i = 0; i < 3; i++) {
		pthread_t t;
		pthread_create(&t, i ? &a : NULL, child, &n);
		if (!i)
			pthread_detach(t);
	}
	pthread_exit(NULL);
}
