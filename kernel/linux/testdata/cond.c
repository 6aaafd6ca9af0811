/* condition variable, signal and broadcast */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int go, finished;

static void *child(void *arg)
{
	pthread_mutex_lock(&m);
	while (!go)
		pthread_cond_wait(&c, &m);
	finished++;
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, child, NULL);
	usleep(1000);
	pthread_mutex_lock(&m);
	go = 1;
	pthread_cond_broadcast(&c);
	while (finished < 3)
		pthread_cond_wait(&done, &m);
	pthread_mutex_unlock(&m);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", finished);
	return 0;
}
