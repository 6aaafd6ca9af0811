/* A thread that is created inside of a section waits for its end. Once it has
 * been joined the mutex is free: it can be destroyed and made anew. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static volatile int value;

static void *child(void *arg)
{
	mutex_lock(&lock);
	assert(value == 1);
	value = 2;
	mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	mutex_lock(&lock);
	int tid = thr_create(child, NULL);
	assert(tid > 0);
	value = 1;
	mutex_unlock(&lock);
	assert(thr_join(tid, NULL) == 0);
	mutex_destroy(&lock);
	mutex_init(&lock);
	mutex_lock(&lock);
	assert(value == 2);
	mutex_unlock(&lock);
	return 0;
}
