/* Two threads append to a buffer with room for one. Both see the room before either takes it. One preemption. FIXED:
   the room is looked for under the lock. */
#include <pthread.h>
#include <stdlib.h>

enum { ROOM = 1 };
int *buffer;
volatile int used;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *append(void *arg)
{
#ifndef FIXED
	pthread_mutex_lock(&lock);
	int full = used == ROOM;
	pthread_mutex_unlock(&lock);
	if (full)
		return arg;
	pthread_mutex_lock(&lock);
#else
	pthread_mutex_lock(&lock);
	if (used == ROOM) {
		pthread_mutex_unlock(&lock);
		return arg;
	}
#endif
	buffer[used] = 1;
	used = used + 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	buffer = malloc(ROOM * sizeof *buffer);
	pthread_t t, u;
	pthread_create(&t, 0, append, 0);
	pthread_create(&u, 0, append, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
