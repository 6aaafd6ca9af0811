/* abi.md §4: the task ends with its last thread, and with the status set last. */
#include "child.h"

static void last(void *first)
{
	/* The first thread has gone when it can't be yielded to. */
	while (yield((int)(long)first) == 0)
		;
	set_status(0);
	vanish();
}

int main(void)
{
	set_status(1);
	start(0, last, (void *)1);
	vanish();
}
