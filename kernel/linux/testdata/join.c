/* create, join, results */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *child(void *arg)
{
	return (void *)((long)arg * 2);
}

int main(void)
{
	pthread_t t[4];
	void *r;
	long sum = 0;
	for (long i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, child, (void *)i))
			return 1;
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	/* Again, on cached stacks. */
	for (long i = 0; i < 4; i++) {
		pthread_create(&t[0], NULL, child, (void *)i);
		pthread_join(t[0], &r);
		sum += (long)r;
	}
	printf("%ld\n", sum);
	return 0;
}
