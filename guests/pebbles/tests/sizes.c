/* Blocks of several sizes, of two threads, don't overlap. */
#include "pebbles.h"
#include "thread.h"

static void fill(char *p, int n, char c)
{
	assert(p != NULL);
	memset(p, c, n);
}

static void *other(void *arg)
{
	char *p = malloc(40);

	fill(p, 40, 3);
	assert(p[0] == 3 && p[39] == 3);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	assert(thr_create(other, NULL) > 0);
	char *p = malloc(1), *q = malloc(20);
	fill(p, 1, 1);
	fill(q, 20, 2);
	assert(p[0] == 1 && q[0] == 2 && q[19] == 2);
	return 0;
}
