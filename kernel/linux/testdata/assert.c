/* a failed assertion in a thread */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <assert.h>

static void *child(void *arg)
{
	assert(arg != NULL);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, child, NULL);
	pthread_join(t, NULL);
	return 0;
}
