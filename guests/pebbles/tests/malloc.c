/* Two threads, two blocks. */
#include "pebbles.h"
#include "thread.h"

static void *user(void *arg)
{
	char *p = malloc(8);

	assert(p != NULL);
	*(volatile char *)p = (long)arg;
	assert(*(volatile char *)p == (long)arg);
	free(p);
	return NULL;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	assert(thr_create(user, (void *)1) > 0);
	user((void *)2);
	return 0;
}
