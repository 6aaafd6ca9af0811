/* What the programs of this folder share: two threads, created and joined. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
static inline void both(void *(*f)(void *), void *(*g)(void *)) {
	pthread_t p, q;
	pthread_create(&p, 0, f, 0);
	if (g)
		pthread_create(&q, 0, g, 0);
	pthread_join(p, 0);
	if (g)
		pthread_join(q, 0);
}
