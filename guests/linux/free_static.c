/* A buffer is static until it grows. That it has grown is said in one critical section, and it grows in the next: a thread that
   comes between frees the static one. One preemption. FIXED: one critical section. */
#include <pthread.h>
#include <stdlib.h>

static char small[8];
char *volatile buffer = small;
volatile int grown;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *grow(void *arg)
{
	pthread_mutex_lock(&lock);
	grown = 1;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	buffer = malloc(64);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *drop(void *arg)
{
	pthread_mutex_lock(&lock);
	char *p = buffer;
	int own = grown;
	buffer = small;
	grown = 0;
	pthread_mutex_unlock(&lock);
	if (own)
		free(p);
	return arg;
}

int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, grow, 0);
	pthread_create(&u, 0, drop, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
