/* Joins that can't be are refused: of oneself, and of a thread that isn't there. They
 * change nothing: the thread can be joined. */
#include "pebbles.h"
#include "thread.h"

static void *child(void *arg)
{
	assert(thr_join(thr_getid(), NULL) < 0);
	return arg;
}

int main(void)
{
	void *status;

	thr_init(PAGE_SIZE);
	int tid = thr_create(child, (void *)42);
	assert(tid > 0);
	assert(thr_join(tid + 1, NULL) < 0);
	assert(thr_join(tid, &status) == 0);
	assert(status == (void *)42);
	return 0;
}
