/* semaphores */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <semaphore.h>

static sem_t ping, pong;

static void *child(void *arg)
{
	for (int i = 0; i < 5; i++) {
		sem_wait(&ping);
		sem_post(&pong);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;
	int v;
	sem_init(&ping, 0, 0);
	sem_init(&pong, 0, 0);
	pthread_create(&t, NULL, child, NULL);
	for (int i = 0; i < 5; i++) {
		sem_post(&ping);
		sem_wait(&pong);
	}
	pthread_join(t, NULL);
	sem_getvalue(&pong, &v);
	printf("%d %d\n", v, sem_trywait(&pong));
	return 0;
}
