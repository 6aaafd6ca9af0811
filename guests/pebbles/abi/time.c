/* abi.md §7: each thread's clock. */
#include "child.h"

static volatile int childs, done;

static void child(void *arg)
{
	(void)arg;
	childs = get_ticks();
	done = 1;
	vanish();
}

int main(void)
{
	int t = get_ticks();

	assert(get_ticks() == t + 1);
	assert(sleep(0) == 0);
	assert(get_ticks() == t + 2);
	assert(sleep(100) == 0);
	assert(get_ticks() == t + 103);
	start(0, child, NULL);
	sleep(1000);
	while (!done)
		yield(-1);
	assert(childs == t + 104);
	return 0;
}
