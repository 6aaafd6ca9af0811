/* A broadcast reaches both waiters. They vanish at once, for how threads end is
 * tested elsewhere, and three that do it have very many interleavings. */
#include "pebbles.h"
#include "thread.h"

static mutex_t lock;
static cond_t told;
static int ready;

static void *waiter(void *arg)
{
	(void)arg;
	mutex_lock(&lock);
	while (!ready)
		cond_wait(&told, &lock);
	mutex_unlock(&lock);
	vanish();
}

int main(void)
{
	thr_init(PAGE_SIZE);
	mutex_init(&lock);
	cond_init(&told);
	assert(thr_create(waiter, NULL) > 0);
	assert(thr_create(waiter, NULL) > 0);
	mutex_lock(&lock);
	ready = 1;
	cond_broadcast(&told);
	mutex_unlock(&lock);
	return 0;
}
