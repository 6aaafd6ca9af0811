/* A thread leaves a block to the thread that joins it, beside the joiner's own. */
#include "pebbles.h"
#include "thread.h"

static void *child(void *arg)
{
	char *p = malloc(8);

	assert(p != NULL);
	*(volatile char *)p = 1;
	(void)arg;
	return p;
}

int main(void)
{
	void *left;

	thr_init(PAGE_SIZE);
	int tid = thr_create(child, NULL);
	assert(tid > 0);
	char *own = malloc(8);
	assert(own != NULL);
	*(volatile char *)own = 2;
	assert(thr_join(tid, &left) == 0);
	assert(*(volatile char *)left == 1 && *(volatile char *)own == 2);
	free(left);
	free(own);
	return 0;
}
