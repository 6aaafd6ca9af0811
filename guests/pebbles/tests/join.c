/* A thread's status reaches the thread that joins it, and only that one. */
#include "pebbles.h"
#include "thread.h"

static void *child(void *arg) { return (char *)arg + 1; }

int main(void)
{
	void *status;

	thr_init(PAGE_SIZE);
	int tid = thr_create(child, (void *)41);
	assert(tid > 0);
	assert(thr_join(tid, &status) == 0);
	assert(status == (void *)42);
	assert(thr_join(tid, NULL) < 0);
	return 0;
}
