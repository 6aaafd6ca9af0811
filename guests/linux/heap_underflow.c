/* Two threads take from a stack with one item. Both see the item before either takes it, and the second takes what lies
   before the stack. One preemption. FIXED: the item is looked for under the lock that it is taken under. */
#include <pthread.h>
#include <stdlib.h>

int *items;
volatile int used = 1;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *arg)
{
	pthread_mutex_lock(&lock);
	int empty = used == 0;
#ifndef FIXED
	pthread_mutex_unlock(&lock);
	if (empty)
		return arg;
	pthread_mutex_lock(&lock);
#else
	if (empty) {
		pthread_mutex_unlock(&lock);
		return arg;
	}
#endif
	used = used - 1;
	volatile int item = items[used];
	pthread_mutex_unlock(&lock);
	return item ? arg : 0;
}

int main(void)
{
	items = malloc(2 * sizeof *items);
	items[0] = items[1] = 1;
	pthread_t t, u;
	pthread_create(&t, 0, take, 0);
	pthread_create(&u, 0, take, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
