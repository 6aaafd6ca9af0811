/* The signalling thread holds no lock: it is enough that it held the lock for the change. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static cond_t told;
static int ready;

static void *teller(void *arg)
{
	mutex_lock(&lock);
	ready = 1;
	mutex_unlock(&lock);
	cond_broadcast(&told);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	cond_init(&told);
	assert(thr_create(teller, NULL) > 0);
	mutex_lock(&lock);
	while (!ready)
		cond_wait(&told, &lock);
	mutex_unlock(&lock);
	return 0;
}
