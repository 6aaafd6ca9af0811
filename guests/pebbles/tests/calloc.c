/* A block of zeros is one, also where another thread has written to it and
 * given it back. */
#include "pebbles.h"
#include "thread.h"

static void *other(void *arg)
{
	volatile int *p = malloc(2 * sizeof *p);

	assert(p != NULL);
	p[0] = p[1] = 1;
	free((void *)p);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	assert(thr_create(other, NULL) > 0);
	volatile int *p = calloc(2, sizeof *p);
	assert(p != NULL);
	assert(p[0] == 0 && p[1] == 0);
	return 0;
}
