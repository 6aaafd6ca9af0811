/* The first thread can be joined too; its stack isn't the library's to free. */
#include "pebbles.h"
#include "thread.h"

static void *joiner(void *first)
{
	void *status;

	assert(thr_join((int)(long)first, &status) == 0);
	assert(status == (void *)42);
	return NULL;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	assert(thr_create(joiner, (void *)(long)thr_getid()) > 0);
	thr_exit((void *)42);
}
