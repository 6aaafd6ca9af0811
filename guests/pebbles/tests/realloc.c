/* A block moves to a larger place with what is in it, while another thread
 * allocates. */
#include "pebbles.h"
#include "thread.h"

static void *other(void *arg)
{
	volatile char *p = malloc(8);

	assert(p != NULL);
	*p = 1;
	assert(*p == 1);
	return arg;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	char *p = malloc(8);
	assert(p != NULL);
	*(volatile char *)p = 2;
	assert(thr_create(other, NULL) > 0);
	p = realloc(p, 64);
	assert(p != NULL);
	assert(*(volatile char *)p == 2);
	free(p);
	return 0;
}
