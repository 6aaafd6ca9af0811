/* abi.md §5: deschedule and make_runnable. */
#include "child.h"

static int reject;
static volatile int stage, result = 1;

static void sleeper(void *arg)
{
	(void)arg;
	stage = 1;
	result = deschedule(&reject);
	stage = 2;
	vanish();
}

int main(void)
{
	/* A word that isn't 0. */
	int one = 1, minus = -1;
	assert(deschedule(&one) == 0);
	assert(deschedule(&minus) == 0);

	int tid = start(0, sleeper, NULL);
	/* The one call that succeeds is the one that finds it asleep. */
	while (make_runnable(tid) < 0) {
		assert(stage < 2);
		yield(tid);
	}
	assert(stage != 0);
	assert(make_runnable(tid) == ERR_THREAD);
	while (stage != 2)
		yield(tid);
	assert(result == 0);
	/* To a thread that has gone. */
	while (yield(tid) == 0)
		;
	assert(make_runnable(tid) == ERR_THREAD);
	return 0;
}
