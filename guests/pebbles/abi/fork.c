/* abi.md §4: the child has its parent's registers, and shares its memory. */
#include "child.h"

static volatile int seen;

static void child(void *arg)
{
	assert(arg == (void *)&seen);
	assert((char *)&arg > STACK_OF(0) && (char *)&arg < STACK_OF(0) + PAGE_SIZE);
	seen = gettid();
	vanish();
}

int main(void)
{
	int tid = start(0, child, (void *)&seen);

	assert(tid > 0 && tid != gettid());
	while (seen == 0)
		yield(-1);
	assert(seen == tid);
	return 0;
}
