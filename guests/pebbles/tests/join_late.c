/* A thread that ends by thr_exit, from within, and is joined when it has been
 * over for a while: its status is still there. */
#include "pebbles.h"
#include "thread.h"

static volatile int over;

static void leave(void)
{
	over = 1;
	thr_exit((void *)42);
}

static void *child(void *arg)
{
	leave();
	return arg;
}

int main(void)
{
	void *status;

	thr_init(PAGE_SIZE);
	int tid = thr_create(child, NULL);
	assert(tid > 0);
	do
		thr_yield(tid);
	while (!over);
	assert(thr_join(tid, &status) == 0);
	assert(status == (void *)42);
	return 0;
}
