/* A reader moves a cursor into a block and back; meanwhile the block is given back by the cursor. One preemption, in
   the reader, between the two. FIXED: both moves are one critical section. */
#include <pthread.h>
#include <stdlib.h>

char *volatile cursor;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *arg)
{
	pthread_mutex_lock(&lock);
	char *start = cursor;
	if (start)
		cursor = start + 4;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	if (cursor)
		cursor = start;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *closer(void *arg)
{
	pthread_mutex_lock(&lock);
	char *p = cursor;
	cursor = 0;
	pthread_mutex_unlock(&lock);
	free(p);
	return arg;
}

int main(void)
{
	cursor = malloc(16);
	pthread_t t, u;
	pthread_create(&t, 0, reader, 0);
	pthread_create(&u, 0, closer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
