/* malloc in threads: small, large, grown, freed by others */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>

static char *given[4];

static void *child(void *arg)
{
	long id = (long)arg;
	for (int i = 1; i < 40; i++) {
		char *p = malloc(i * 100);
		memset(p, id, i * 100);
		p = realloc(p, i * 9000);
		if (p[i * 100 - 1] != id)
			abort();
		free(p);
	}
	char *zero = calloc(1, 300000);
	if (zero[299999])
		abort();
	free(zero);
	given[id] = malloc(50);
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	char *big = malloc(1 << 20);
	big[1000] = 7;
	big = realloc(big, 3 << 20);
	printf("%d\n", big[1000]);
	free(big);
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, child, (void *)i);
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		free(given[i]);
	}
	char *huge = malloc(1ul << 46);
	printf("%d\n", huge == NULL);
	return 0;
}
