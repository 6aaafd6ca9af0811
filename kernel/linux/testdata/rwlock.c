/* read-write lock */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int n;

static void *writer(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_rwlock_wrlock(&l);
		n++;
		usleep(1);
		pthread_rwlock_unlock(&l);
	}
	return NULL;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pthread_rwlock_rdlock(&l);
		usleep(1);
		pthread_rwlock_unlock(&l);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, i & 1 ? reader : writer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", n);
	return 0;
}
