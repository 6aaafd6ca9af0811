/* abi.md §4: task_vanish ends all threads, a thread that sleeps for ever too. */
#include "child.h"

static volatile int asleep;

static void sleeper(void *arg)
{
	int never = 0;

	(void)arg;
	asleep = 1;
	deschedule(&never);
	assert(0);
}

int main(void)
{
	set_status(1);
	start(0, sleeper, NULL);
	while (!asleep)
		yield(-1);
	task_vanish(0);
}
