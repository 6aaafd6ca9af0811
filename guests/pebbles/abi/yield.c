/* abi.md §5: what yield returns. */
#include "child.h"

static int reject;
static volatile int ready;

static void sleeper(void *arg)
{
	(void)arg;
	ready = 1;
	deschedule(&reject);
	vanish();
}

int main(void)
{
	assert(yield(-1) == 0);
	assert(yield(gettid()) == 0);
	assert(yield(3) == ERR_THREAD);
	int tid = start(0, sleeper, NULL);
	assert(yield(tid) == 0 || ready);
	/* It can't be yielded to while it sleeps, ... */
	while (yield(tid) == 0)
		;
	assert(ready);
	assert(yield(tid) == ERR_THREAD);
	/* ... can when it is awake or has gone on to its end. */
	assert(make_runnable(tid) == 0);
	while (yield(tid) == 0)
		;
	return 0;
}
