/* abi.md §4: a thread's id is a function of its parent's and of its ordinal. */
#include "child.h"

static volatile int grandchild, done;

static void idle(void *arg)
{
	(void)arg;
	vanish();
}

static void parent(void *arg)
{
	(void)arg;
	grandchild = start(1, idle, NULL);
	done = 1;
	vanish();
}

int main(void)
{
	static const int children[] = {3, 10, 11, 36, 37};

	assert(gettid() == 1);
	assert(start(0, parent, NULL) == children[0]);
	while (!done)
		yield(-1);
	assert(grandchild == 7);
	for (int i = 1; i < 5; i++)
		assert(start(1 + i, idle, NULL) == children[i]);
	return 0;
}
