/* recursive and error-checking mutexes, trylock */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <errno.h>

int main(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &a);
	printf("%d %d %d\n", pthread_mutex_lock(&m), pthread_mutex_trylock(&m), pthread_mutex_unlock(&m));
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &a);
	pthread_mutex_lock(&m);
	printf("%d %d\n", pthread_mutex_lock(&m) == EDEADLK, pthread_mutex_trylock(&m) == EBUSY);
	return 0;
}
