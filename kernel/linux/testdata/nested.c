/* threads that create threads */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *leaf(void *arg)
{
	char *p = malloc(200000);
	p[0] = 1;
	free(p);
	return (void *)1;
}

static void *inner(void *arg)
{
	pthread_t t[2];
	long sum = 1;
	void *r;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, leaf, NULL);
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	return (void *)sum;
}

int main(void)
{
	pthread_t t[3];
	long sum = 0;
	void *r;
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, inner, NULL);
	for (int i = 0; i < 3; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	printf("%ld\n", sum);
	return 0;
}
