/* A reader takes the current node under the lock and reads it after: the writer may have freed it. One preemption, in
   the reader, between the two. FIXED: it reads under the lock. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

int *volatile current;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	volatile int *node = current;
#ifdef FIXED
	int value = *node;
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	int value = *node;
#endif
	assert(value == 1 || value == 2);
	return arg;
}

static void *writer(void *arg)
{
	int *node = malloc(sizeof *node);
	*node = 2;
	pthread_mutex_lock(&lock);
	int *old = current;
	current = node;
	pthread_mutex_unlock(&lock);
	free(old);
	return arg;
}

int main(void)
{
	current = malloc(sizeof *current);
	*current = 1;
	pthread_t t, u;
	pthread_create(&t, 0, reader, 0);
	pthread_create(&u, 0, writer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
