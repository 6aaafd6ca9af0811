/* A block that another thread than its owner gives back is there for the next
 * a thread that wants one, and for one only. */
#include "pebbles.h"
#include "thread.h"

static void use(char c)
{
	volatile char *p = malloc(8);

	assert(p != NULL);
	*p = c;
	assert(*p == c);
}

static void *heir(void *block)
{
	free(block);
	use(1);
	return NULL;
}

int main(void)
{
	thr_init(PAGE_SIZE);
	char *block = malloc(8);
	assert(block != NULL);
	assert(thr_create(heir, block) > 0);
	use(2);
	return 0;
}
